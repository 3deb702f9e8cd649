import { mkdtemp, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Cluster, startCluster } from "@keelson/testkit";
import { type Client, systemClock } from "keelson";
import { accessFromKubeconfig, createClient, httpTransport } from "keelson/client";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HelmCommandError, HelmTimeoutError, HelmUnavailableError } from "../../src/helm/errors.ts";
import { helmBinaries } from "../../testing/helm-binaries.ts";
import { HelmSpace, probeFolder, serveRepository } from "../support/helm-space.ts";

const binaries = await helmBinaries();
const never = new AbortController().signal;
const probe = { name: probeFolder };

let cluster: Cluster;
let client: Client;
let close: () => Promise<void>;

beforeAll(async () => {
  cluster = await startCluster(process.env.KEELSON_LEVEL);
  const transport = httpTransport(accessFromKubeconfig(cluster.kubeconfig, { clock: systemClock, env: {} }));
  client = createClient({ transport });
  close = () => transport.close();
});
afterAll(async () => {
  await close?.();
  await cluster?.stop();
});

async function failureOf(promise: Promise<unknown>): Promise<HelmCommandError> {
  const error: unknown = await promise.then(
    () => new Error("it succeeded"),
    (caught: unknown) => caught,
  );
  if (error instanceof HelmCommandError) return error;
  throw error;
}

// Without Helm the tests are shown as left out.
const tested = binaries.length === 0 ? [{ major: 4 as const, path: "helm" }] : binaries;

describe.skipIf(binaries.length === 0).each(tested)("Helm $major", (binary) => {
  const open = (): Promise<HelmSpace> => HelmSpace.create(binary, cluster, client);

  describe("a release", () => {
    it("F.4: is installed, and left alone while nothing differs", async () => {
      const space = await open();
      const ensure = (values: object) =>
        space.helm.ensureRelease(space.key("demo"), probe, { ...values }, never);
      expect(await ensure({ greeting: "good day" })).toBe("installed");
      expect(await space.greeting("demo")).toMatchObject({ greeting: "good day" });
      expect(await ensure({ greeting: "good day" })).toBe("unchanged");
      const another = space.makeHelm();
      expect(await another.ensureRelease(space.key("demo"), probe, { greeting: "good day" }, never)).toBe(
        "unchanged",
      );
      expect(await space.verbs()).toEqual(["upgrade"]);
      expect(await space.statuses("demo")).toEqual(["deployed"]);
    });

    it("F.4: is upgraded if the values or the version of the chart differ", async () => {
      const space = await open();
      const newer = { name: await space.copyChart("0.2.0") };
      const release = space.key("demo");
      await space.helm.ensureRelease(release, probe, { greeting: "one" }, never);
      expect(await space.helm.ensureRelease(release, probe, { greeting: "two" }, never)).toBe("upgraded");
      expect(await space.greeting("demo")).toMatchObject({ greeting: "two" });
      expect(await space.helm.ensureRelease(release, newer, { greeting: "two" }, never)).toBe("upgraded");
      expect(await space.helm.ensureRelease(release, newer, { greeting: "two" }, never)).toBe("unchanged");
      expect(await space.helm.ensureRelease(release, newer, {}, never)).toBe("upgraded");
      expect(await space.greeting("demo")).toMatchObject({ greeting: "hello" });
      expect(await space.statuses("demo")).toEqual(["superseded", "superseded", "superseded", "deployed"]);
    });

    it("L19: does not differ by the order of keys, and keeps nulls and unusual characters", async () => {
      const space = await open();
      const release = space.key("demo");
      const text = "\u0085 \u2028 \u2029 ü 🙂 </script> : # 'single' \"double\" \t\n";
      const extra = { a: [1, 2.5, 1e21, -3e-7, true, null, { x: null, y: "" }], empty: {}, none: [], text };
      const values = { removable: { nested: null }, greeting: "hello", extra };
      expect(await space.helm.ensureRelease(release, probe, values, never)).toBe("installed");
      expect(await space.greeting("demo")).toMatchObject({ removable: "{}" });
      const { a, ...others } = extra;
      const reordered = {
        unset: undefined,
        extra: { ...others, a },
        greeting: "hello",
        removable: { nested: null },
      };
      expect(await space.helm.ensureRelease(release, probe, reordered, never)).toBe("unchanged");
      const changed = { ...values, removable: {} };
      expect(await space.helm.ensureRelease(release, probe, changed, never)).toBe("upgraded");
      expect(await space.greeting("demo")).toMatchObject({ removable: '{"nested":"default"}' });
    });

    it("keeps as many revisions as the settings say", async () => {
      const space = await open();
      const helm = space.makeHelm({ historyMaxRevisions: 2 });
      for (const greeting of ["one", "two", "three"])
        await helm.ensureRelease(space.key("demo"), probe, { greeting }, never);
      expect(await space.statuses("demo")).toEqual(["superseded", "deployed"]);
      expect(await helm.ensureRelease(space.key("demo"), probe, { greeting: "three" }, never)).toBe(
        "unchanged",
      );
    });

    it("is tried again after a failure", async () => {
      const space = await open();
      const release = space.key("demo");
      const metadata = { ...space.key("demo-greeting"), labels: { made: "by-hand" } };
      await client.create(ConfigMap, { metadata });
      const refused = await failureOf(space.helm.ensureRelease(release, probe, {}, never));
      expect(refused).toMatchObject({ failure: "object-exists", exitCode: 1 });
      await client.delete(ConfigMap, space.key("demo-greeting"));
      await space.helm.ensureRelease(release, probe, {}, never);
      expect(await space.greeting("demo")).toMatchObject({ greeting: "hello" });
    });

    it("is upgraded if its newest revision failed, even if nothing differs", async () => {
      const space = await open();
      const release = space.key("demo");
      const broken = { finalizers: ["not a finalizer"] };
      const refused = await failureOf(space.helm.ensureRelease(release, probe, broken, never));
      expect(refused.failure).toBe("invalid");
      expect(await space.statuses("demo")).toEqual(["failed"]);
      await failureOf(space.helm.ensureRelease(release, probe, broken, never));
      expect(await space.statuses("demo")).toEqual(["failed", "failed"]);
      expect(await space.helm.ensureRelease(release, probe, {}, never)).toBe("upgraded");
    });

    it("L24: wins over a field manager that has changed what the chart sets", async () => {
      const space = await open();
      const release = space.key("demo");
      await space.helm.ensureRelease(release, probe, { greeting: "one" }, never);
      const edited = { metadata: space.key("demo-greeting"), data: { greeting: "edited" } };
      await client.apply(ConfigMap, edited, { fieldOwner: "a-person", force: true });
      await space.helm.ensureRelease(release, probe, { greeting: "two" }, never);
      expect(await space.greeting("demo")).toMatchObject({ greeting: "two" });
    });

    it("L24: is read and upgraded whichever major of Helm has installed it", async () => {
      const space = await open();
      const other = space.makeHelm({
        executable: tested.find(({ major }) => major !== binary.major)?.path ?? "",
      });
      const release = space.key("demo");
      await other.ensureRelease(release, probe, { greeting: "one" }, never);
      expect(await space.helm.ensureRelease(release, probe, { greeting: "one" }, never)).toBe("unchanged");
      expect(await space.helm.ensureRelease(release, probe, { greeting: "two" }, never)).toBe("upgraded");
      expect(await other.ensureRelease(release, probe, { greeting: "two" }, never)).toBe("unchanged");
      expect(await other.ensureRelease(release, probe, { greeting: "three" }, never)).toBe("upgraded");
      expect(await space.greeting("demo")).toMatchObject({ greeting: "three" });
    });

    it("is uninstalled with its objects, and once only", async () => {
      const space = await open();
      const release = space.key("demo");
      expect(await space.helm.uninstall(release, never)).toBe(false);
      expect(await space.commandLines()).toEqual([]);
      await space.helm.ensureRelease(release, probe, {}, never);
      expect(await space.helm.uninstall(release, never)).toBe(true);
      expect(await space.find("demo")).toBeUndefined();
      expect(await space.statuses("demo")).toEqual([]);
      expect(await space.helm.uninstall(release, never)).toBe(false);
      expect(await space.verbs()).toEqual(["upgrade", "uninstall"]);
    });

    it("does not depend on what the user of the process has configured", async () => {
      const space = await open();
      const env = {
        PATH: process.env.PATH,
        HELM_DRIVER: "configmap",
        HELM_NAMESPACE: "elsewhere",
        HELM_KUBEAPISERVER: "https://127.0.0.1:1",
        HELM_MAX_HISTORY: "1",
        KUBECONFIG: "/nowhere",
        HTTPS_PROXY: "http://127.0.0.1:1",
      };
      const helm = space.makeHelm({ env });
      await helm.ensureRelease(space.key("demo"), probe, {}, never);
      expect(await helm.ensureRelease(space.key("demo"), probe, {}, never)).toBe("unchanged");
    });
  });

  describe("a release that an earlier command has left half done", () => {
    const upgrade = ["upgrade", "--install", "--timeout=1h", "stuck", probeFolder];

    it("is installed after pending-install, without losing what is there", async () => {
      const space = await open();
      const args = [...upgrade, '--set-json=hooks=["post-install"]'];
      await space.killDuring("stuck", "pending-install", args, "hello");
      await expect(space.run(...upgrade)).rejects.toThrow(/another operation/);
      const { uid } = (await space.find("stuck"))?.metadata ?? {};
      await client.delete(Secret, space.key("stuck-password"));
      const values = { greeting: "hi" };
      expect(await space.helm.ensureRelease(space.key("stuck"), probe, values, never)).toBe("upgraded");
      expect(await space.statuses("stuck")).toEqual(["superseded", "deployed"]);
      expect(await space.find("stuck")).toMatchObject({ metadata: { uid }, data: values });
      expect(await client.get(Secret, space.key("stuck-password"))).toBeDefined();
      expect(await space.run("history", "stuck")).toContain("its command ended during pending-install");
    });

    it("is upgraded after pending-upgrade, and never goes back to the revision before", async () => {
      const space = await open();
      await space.run(...upgrade, "--set=greeting=one");
      const { uid } = (await space.find("stuck"))?.metadata ?? {};
      const args = [...upgrade, "--set=greeting=two", '--set-json=hooks=["post-upgrade"]'];
      await space.killDuring("stuck", "pending-upgrade", args, "two");
      const values = { greeting: "three" };
      expect(await space.helm.ensureRelease(space.key("stuck"), probe, values, never)).toBe("upgraded");
      expect(await space.helm.ensureRelease(space.key("stuck"), probe, values, never)).toBe("unchanged");
      expect(await space.verbs()).toEqual(["upgrade"]);
      expect((await space.find("stuck"))?.metadata.uid).toBe(uid);
      expect(await space.statuses("stuck")).toEqual(["superseded", "failed", "deployed"]);
    });

    it("is upgraded after pending-rollback", async () => {
      const space = await open();
      await space.run(...upgrade, '--set-json=hooks=["pre-rollback"]');
      await space.run(...upgrade, "--set=greeting=two");
      await space.killDuring("stuck", "pending-rollback", ["rollback", "--timeout=1h", "stuck", "1"]);
      const values = { greeting: "three" };
      expect(await space.helm.ensureRelease(space.key("stuck"), probe, values, never)).toBe("upgraded");
      expect(await space.greeting("stuck")).toMatchObject({ greeting: "three" });
    });

    it("is installed after uninstalling, once its objects are deleted", async () => {
      const space = await open();
      await space.run(...upgrade, '--set-json=finalizers=["example.com/hold"]');
      const before = await space.find("stuck");
      await space.killDuring("stuck", "uninstalling", ["uninstall", "--wait", "--timeout=1h", "stuck"]);
      const ensured = space.helm.ensureRelease(space.key("stuck"), probe, {}, never);
      await expect.poll(() => space.verbs()).toEqual(["uninstall"]);
      await cluster.kubectl([
        ...["-n", space.namespace, "patch", "configmap", "stuck-greeting", "--type=merge"],
        ...["-p", '{"metadata":{"finalizers":null}}'],
      ]);
      expect(await ensured).toBe("installed");
      const after = await space.find("stuck");
      expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
      expect(await space.statuses("stuck")).toEqual(["deployed"]);
    });

    it("stays uninstalling while its objects are still being deleted, for a later attempt", async () => {
      const space = await open();
      await space.run(...upgrade, '--set-json=finalizers=["example.com/hold"]');
      await space.killDuring("stuck", "uninstalling", ["uninstall", "--wait", "--timeout=1h", "stuck"]);
      const helm = space.makeHelm({ defaultTimeout: 2 });
      await expect(helm.ensureRelease(space.key("stuck"), probe, {}, never)).rejects.toThrow(
        HelmTimeoutError,
      );
      expect(await space.statuses("stuck")).toEqual(["uninstalling"]);
    });

    it("is uninstalled in whatever state it is", async () => {
      const space = await open();
      await space.killDuring("stuck", "pending-install", [...upgrade, '--set-json=hooks=["pre-install"]']);
      expect(await space.helm.uninstall(space.key("stuck"), never)).toBe(true);
      expect(await space.statuses("stuck")).toEqual([]);
    });
  });

  describe("a chart", () => {
    it("is rendered to objects, without a cluster", async () => {
      const space = await open();
      const helm = space.makeHelm({ access: undefined, client: undefined });
      const values = { greeting: "2026-11-18", password: "0123" };
      const objects = await helm.template(space.key("zenith"), probe, values, never);
      expect(objects.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
        ["Secret", "zenith-password"],
        ["ConfigMap", "zenith-greeting"],
      ]);
      expect(objects).toContainEqual(
        expect.objectContaining({
          data: { greeting: "2026-11-18", removable: '{"nested":"default"}' },
        }),
      );
    });

    it("that fails to render shows what its author says", async () => {
      const space = await open();
      const values = { greeting: null };
      const failed = await failureOf(space.helm.template(space.key("demo"), probe, values, never));
      expect(failed.failure).toBe("render");
      expect(failed.message).toContain(`render chart ${probeFolder} for release ${space.namespace}/demo: `);
      expect(failed.message).toContain("a greeting is required");
      await failureOf(space.helm.ensureRelease(space.key("demo"), probe, values, never));
      expect(await space.statuses("demo")).toEqual([]);
    });

    it("is fetched from a repository, unpacked, and deleted", async () => {
      const space = await open();
      const { url, requests } = await serveRepository(await packed(space, "0.3.0"));
      const chart = { name: "probe", repository: url, version: "0.3.0" };
      let folder = "";
      const name = await space.helm.withChart(chart, never, async (unpacked) => {
        folder = unpacked;
        return readFile(join(unpacked, "Chart.yaml"), "utf8");
      });
      expect(name).toContain("version: 0.3.0");
      await expect(stat(folder)).rejects.toThrow("ENOENT");
      expect(requests).toEqual(["/index.yaml", "/probe-0.3.0.tgz"]);
      const missing = { ...chart, version: "9.9.9" };
      const failed = await failureOf(space.helm.withChart(missing, never, async () => undefined));
      expect(failed.failure).toBe("chart-not-found");
      // No folder of the same name can stand for the chart where Helm runs.
      expect((await space.commandLines()).every((line) => line.startsWith("0 "))).toBe(true);
    });

    it("of a folder is used where it is", async () => {
      const space = await open();
      const own = { name: await space.copyChart() };
      await space.helm.withChart(own, never, async (folder) => expect(folder).toBe(own.name));
      expect(await readdir(own.name)).toContain("Chart.yaml");
      expect(await space.commandLines()).toEqual([]);
    });

    it("of a repository is asked for its version once, and installed in that version", async () => {
      const space = await open();
      const { url } = await serveRepository(await packed(space, "0.3.0", "0.4.0"));
      const chart = { name: "probe", repository: url };
      const release = space.key("demo");
      expect(await space.helm.ensureRelease(release, chart, {}, never)).toBe("installed");
      expect(await space.helm.ensureRelease(release, chart, {}, never)).toBe("unchanged");
      expect(await space.verbs()).toEqual(["show", "upgrade"]);
      expect(await space.run("list")).toContain("probe-0.4.0");
      const older = { ...chart, version: "0.3.0" };
      expect(await space.helm.ensureRelease(release, older, {}, never)).toBe("upgraded");
      expect(await space.helm.ensureRelease(release, older, {}, never)).toBe("unchanged");
    });

    it("comes from a repository that wants a password, which no argument shows", async () => {
      const space = await open();
      const credentials = { username: "reader-of-charts", password: "s3cret/of:repository" };
      const { url } = await serveRepository(await packed(space, "0.3.0"), credentials);
      const { username, password } = credentials;
      const repository = new URL(url);
      repository.username = username;
      repository.password = encodeURIComponent(password);
      const chart = { name: "probe", repository: repository.href, version: "0.3.0" };
      expect(await space.helm.ensureRelease(space.key("demo"), chart, {}, never)).toBe("installed");
      expect(await space.helm.template(space.key("demo"), chart, {}, never)).toHaveLength(2);
      const refused = await failureOf(
        space.helm.template(space.key("demo"), { ...chart, name: "other" }, {}, never),
      );
      for (const text of [...(await space.commandLines()), refused.message, ...refused.command])
        expect(text).not.toMatch(/reader-of-charts|s3cret/);
      const anonymous = { ...chart, repository: url };
      const rejected = await failureOf(space.helm.template(space.key("demo"), anonymous, {}, never));
      expect(rejected.message).toContain("401");
    });

    /** A folder with packed charts and their index. */
    async function packed(space: HelmSpace, ...versions: readonly string[]): Promise<string> {
      const folder = await mkdtemp(join(await space.copyChart(), "repository-"));
      for (const version of versions) {
        const source = await space.copyChart(version);
        await space.run("package", source, `--destination=${folder}`);
      }
      await space.run("repo", "index", folder);
      return folder;
    }
  });

  describe("a command", () => {
    const password = "hunter2-is-the-password";

    // Elsewhere no file shows the arguments of a process.
    const onLinux = it.skipIf(process.platform !== "linux");
    onLinux("shows no secret to other processes, and keeps its credentials in a private file", async () => {
      const space = await open();
      const abort = new AbortController();
      await space.helm.ensureRelease(space.key("other"), probe, { password }, never);
      const { data } = await client.get(Secret, space.key("other-password"));
      expect(Buffer.from(data?.password ?? "", "base64").toString()).toBe(password);
      const values = { password, hooks: ["pre-install"] };
      const running = space.helm.ensureRelease(space.key("demo"), probe, values, abort.signal);
      const ended = expect(running).rejects.toThrow("enough");
      await expect.poll(() => space.statuses("demo")).toEqual(["pending-install"]);
      const [folder = ""] = await readdir(space.root);
      const file = join(space.root, folder, "kubeconfig");
      expect((await stat(join(space.root, folder))).mode & 0o777).toBe(0o700);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const key = /"client-key-data":"([^"]+)"/.exec(await readFile(file, "utf8"))?.[1] ?? "none";
      const shown = await processesWith(folder);
      expect(shown).toHaveLength(1);
      for (const text of shown) {
        expect(text).toContain("upgrade");
        expect(text).not.toContain(password);
        expect(text).not.toContain(key);
      }
      abort.abort(new Error("enough"));
      await ended;
      expect(await processesWith(folder)).toEqual([]);
    });

    it("that is aborted ends in order, and leaves nothing behind", async () => {
      const space = await open();
      const abort = new AbortController();
      const values = { hooks: ["pre-install"] };
      const running = space.helm.ensureRelease(space.key("demo"), probe, values, abort.signal);
      const ended = expect(running).rejects.toThrow("the operator stops");
      await expect.poll(() => space.statuses("demo")).toEqual(["pending-install"]);
      abort.abort(new Error("the operator stops"));
      await ended;
      expect(await readdir(space.root)).toEqual([]);
      // Helm has recorded that it was stopped.
      expect(await space.statuses("demo")).toEqual(["failed"]);
      expect(await space.helm.ensureRelease(space.key("demo"), probe, {}, never)).toBe("upgraded");
    });

    it("gives up after the time that the settings allow", async () => {
      const space = await open();
      const helm = space.makeHelm({ defaultTimeout: 1 });
      const values = { hooks: ["pre-install"] };
      const failed = await failureOf(helm.ensureRelease(space.key("demo"), probe, values, never));
      expect(failed.message).toMatch(/pre-install|timed out|deadline/);
      expect(await space.statuses("demo")).toEqual(["failed"]);
    });

    it("that fails shows no secret of its values", async () => {
      const space = await open();
      const values = { password: `${password} with spaces` };
      const failed = await failureOf(space.helm.ensureRelease(space.key("demo"), probe, values, never));
      expect(failed.failure).toBe("render");
      expect(failed.message).toMatch(/password/);
      expect(JSON.stringify([failed.message, failed.stderr, failed.command])).not.toContain("hunter2");
    });

    it("has the credentials renewed that the API server does not accept", async () => {
      const space = await open();
      let refusals = 0;
      const { tls, server, namespace } = space.access;
      const access = {
        ...{ server, namespace },
        tls: async () => {
          const { cert: _cert, key: _key, ...rest } = await tls();
          return rest;
        },
        headers: async () => ({ authorization: "Bearer of-another-cluster" }),
        refused: () => void refusals++,
      };
      const helm = space.makeHelm({ access });
      const failed = await failureOf(helm.ensureRelease(space.key("demo"), probe, {}, never));
      expect(failed.failure).toBe("unauthorized");
      expect(refusals).toBe(1);
    });

    it("names the setting if there is no such program", async () => {
      const space = await open();
      for (const executable of ["helm-that-is-not-installed", "/nowhere/helm"]) {
        const helm = space.makeHelm({ executable });
        const failed = helm.ensureRelease(space.key("demo"), probe, {}, never);
        await expect(failed).rejects.toThrow(HelmUnavailableError);
        await expect(failed).rejects.toThrow(
          `run ${executable}: there is no such program; install Helm 3.17 or later, or 4, on the PATH of the ` +
            `operator, or set helmClient.executable to its path`,
        );
      }
    });

    it("finds Helm on the PATH that it is given", async () => {
      const space = await open();
      const PATH = join(space.executable, "..");
      const helm = space.makeHelm({ executable: "helm", env: { PATH: `${PATH}:${process.env.PATH}` } });
      await helm.template(space.key("demo"), probe, {}, never);
      expect(await space.verbs()).toEqual(["template"]);
    });
  });
});

/** The arguments and the environment of each process that has the text in its environment. */
async function processesWith(text: string): Promise<readonly string[]> {
  const shown = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        try {
          const [args, env] = await Promise.all([
            readFile(`/proc/${pid}/cmdline`, "utf8"),
            readFile(`/proc/${pid}/environ`, "utf8"),
          ]);
          return env.includes(text) ? [`${args} ${env}`] : [];
        } catch {
          // It has ended in the meantime, or is another user's.
          return [];
        }
      }),
  );
  return shown.flat();
}
