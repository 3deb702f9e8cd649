import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@keelson/testkit";
import { systemClock } from "keelson";
import { describe, expect, it, onTestFinished } from "vitest";
import { settings } from "../settings.ts";
import { HelmAccessError, HelmTimeoutError, HelmUnavailableError } from "./errors.ts";
import { createHelm, type Helm, type HelmOptions } from "./helm.ts";

const never = new AbortController().signal;
const release = { namespace: "team-a", name: "demo" };

/** A script that stands for Helm, and what it leaves behind. */
interface FakeHelm {
  readonly folder: string;
  readonly helm: Helm;
  /** The first words of its commands. */
  verbs(): Promise<readonly string[]>;
}

/** A Helm of a version whose other commands are the text. */
async function fakeHelm(
  version: string,
  text: string,
  options: Partial<HelmOptions> & { readonly defaultTimeout?: number } = {},
): Promise<FakeHelm> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-helm-test-"));
  const executable = join(folder, "helm");
  const root = await mkdtemp(join(folder, "root-"));
  const script = `#!/bin/sh
echo $1 >> ${folder}/verbs
if [ "$1" = version ]; then printf '%s' '${version}'; exit; fi
${text}
`;
  await writeFile(executable, script);
  await chmod(executable, 0o755);
  await writeFile(join(folder, "Chart.yaml"), "name: probe\nversion: 0.1.0\n");
  onTestFinished(async () => {
    const left = await readdir(root);
    await rm(folder, { recursive: true });
    expect(left).toEqual([]);
  });
  const { defaultTimeout, ...others } = options;
  const { helmClient } = settings.parse({
    helmClient: { executable, unpackDirectory: root, defaultTimeout },
  });
  return {
    folder,
    helm: createHelm({
      ...{ settings: helmClient, access: undefined, client: undefined, clock: systemClock },
      ...{ env: { PATH: process.env.PATH }, ...others },
    }),
    verbs: async () => (await readFile(join(folder, "verbs"), "utf8")).trim().split("\n"),
  };
}

describe("the program of Helm", () => {
  it("is asked for its version once", async () => {
    const { helm, folder, verbs } = await fakeHelm("v3.17.0", "cat > /dev/null");
    const chart = { name: folder };
    await helm.template(release, chart, {}, never);
    await helm.template(release, chart, {}, never);
    expect(await verbs()).toEqual(["version", "template", "template"]);
  });

  it.each(["v2.17.0", "v3.16.4", "v5.0.0"])("is refused in version %s", async (version) => {
    const { helm, folder } = await fakeHelm(version, "exit 1");
    const rendered = helm.template(release, { name: folder }, {}, never);
    await expect(rendered).rejects.toThrow(HelmUnavailableError);
    await expect(rendered).rejects.toThrow(`it is Helm ${version}; install Helm 3.17 or later, or 4`);
  });

  it("is refused if it is another program, until it is replaced", async () => {
    const { helm, folder } = await fakeHelm("usage: helm", "exit 1");
    const chart = { name: folder };
    await expect(helm.template(release, chart, {}, never)).rejects.toThrow(/it is not Helm/);
    await writeFile(join(folder, "helm"), "#!/bin/sh\n[ $1 = version ] && printf v4.1.4\ncat > /dev/null\n");
    expect(await helm.template(release, chart, {}, never)).toEqual([]);
  });

  it("says why it cannot be started", async () => {
    const { helm, folder } = await fakeHelm("v4.1.4", "");
    await chmod(join(folder, "helm"), 0o644);
    await expect(helm.template(release, { name: folder }, {}, never)).rejects.toThrow(
      /it cannot be started \(EACCES\); install Helm/,
    );
  });

  it("runs a few commands at once, and no more", async () => {
    const { helm, folder } = await fakeHelm(
      "v4.1.4",
      `cat > /dev/null; root=$(dirname $0); touch $root/running-$$; ls $root | grep -c running- >> $root/counts
       until [ -e $root/go ]; do sleep 0.02; done; rm $root/running-$$`,
      { maxCommands: 2 },
    );
    const all = [1, 2, 3, 4, 5].map(() => helm.template(release, { name: folder }, {}, never));
    const counts = async (): Promise<readonly string[]> =>
      (await readFile(join(folder, "counts"), "utf8").catch(() => "")).trim().split("\n");
    await expect.poll(counts).toContain("2");
    await writeFile(join(folder, "go"), "");
    await Promise.all(all);
    expect(await counts()).toHaveLength(5);
    expect(Math.max(...(await counts()).map(Number))).toBe(2);
  });

  it("is ended when it takes longer than the settings allow", async () => {
    const clock = new VirtualClock();
    const { helm, folder } = await fakeHelm(
      "v4.1.4",
      "cat > /dev/null; touch $(dirname $0)/runs; sleep 1000",
      { clock, defaultTimeout: 60 },
    );
    const rendered = helm.template(release, { name: folder }, {}, never);
    const ended = expect(rendered).rejects.toThrow(HelmTimeoutError);
    await expect.poll(() => readdir(folder)).toContain("runs");
    await clock.advance(90_000);
    await ended;
  });

  it("shows what it complains of", async () => {
    const { helm, folder } = await fakeHelm("v4.1.4", 'echo "Error: no good" >&2; exit 7');
    await expect(helm.template(release, { name: folder }, {}, never)).rejects.toMatchObject({
      message: `render chart ${folder} for release team-a/demo: no good`,
      exitCode: 7,
      failure: "other",
      command: [
        join(folder, "helm"),
        ...["template", "--skip-crds", "--namespace=team-a", "--values=-", "--", "demo", folder],
      ],
    });
  });

  it("has no releases without a cluster", async () => {
    const { helm, folder } = await fakeHelm("v4.1.4", "exit 0");
    await expect(helm.ensureRelease(release, { name: folder }, {}, never)).rejects.toThrow(HelmAccessError);
    await expect(helm.uninstall(release, never)).rejects.toThrow(HelmAccessError);
  });

  it("gets proxies and certificates, and no other variable of the process", async () => {
    const { helm, folder } = await fakeHelm("v4.1.4", "cat > /dev/null; env > $(dirname $0)/env", {
      env: {
        PATH: process.env.PATH,
        https_proxy: "http://proxy:3128",
        NO_PROXY: ".cluster.local",
        SSL_CERT_FILE: "/etc/ssl/own.pem",
        HELM_DEBUG: "true",
        AWS_SECRET_ACCESS_KEY: "hunter2",
      },
    });
    await helm.template(release, { name: folder }, {}, never);
    const names = (await readFile(join(folder, "env"), "utf8")).split("\n").map((line) => line.split("=")[0]);
    expect(names).toEqual(
      expect.arrayContaining(["PATH", "https_proxy", "NO_PROXY", "SSL_CERT_FILE", "HOME"]),
    );
    expect(names).not.toContain("HELM_DEBUG");
    expect(names).not.toContain("AWS_SECRET_ACCESS_KEY");
  });
});

describe("the version of a chart", () => {
  const show = `cat > /dev/null; echo "name: probe"; echo "version: 0.$(wc -l < $(dirname $0)/verbs).0"`;
  const chart = { name: "probe", repository: "https://charts.example.com" };

  it("is asked again after a while if it is the newest", async () => {
    const clock = new VirtualClock();
    const { helm, verbs } = await fakeHelm("v4.1.4", show, { clock });
    const ensure = (): Promise<unknown> =>
      helm.ensureRelease(release, chart, {}, never).catch(() => undefined);
    await ensure();
    await ensure();
    expect(await verbs()).toEqual(["version", "show"]);
    await clock.advance(600_000);
    await ensure();
    expect(await verbs()).toEqual(["version", "show", "show"]);
  });

  it("is asked once if it is given", async () => {
    const clock = new VirtualClock();
    const { helm, verbs } = await fakeHelm("v4.1.4", show, { clock });
    const exact = { ...chart, version: "0.2.0" };
    await helm.ensureRelease(release, exact, {}, never).catch(() => undefined);
    await clock.advance(86_400_000);
    await helm.ensureRelease(release, exact, {}, never).catch(() => undefined);
    expect(await verbs()).toEqual(["version", "show"]);
  });
});
