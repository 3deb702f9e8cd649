import { startWorld, type World } from "@keelson/testkit";
import { genericResource } from "keelson/low-level";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace, usingContainer } from "../support/space.ts";

let world: World;
/** With a ReloaderConfig that was stored before there was a webhook. */
let early: ReloaderSpace;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await installCrds(world.client, reloader.resources);
  early = await ReloaderSpace.create(world);
  await early.createConfig("mine", { targets: [target], windows: [{ ...window, timeZone: "Mars" }] });
  await world.runOperator(reloader, { webhooks: true });
});
afterAll(() => world?.stop());

const target = { kind: "Deployment", name: "web" } as const;
const window = { schedule: "0 3 * * 6", duration: "2h" };
const url = "https://hooks.example.com/services/token";

function manifest(spec: object, metadata: object = {}): object {
  const { group, version, kind } = ReloaderConfig;
  return { apiVersion: `${group}/${version}`, kind, metadata: { name: "mine", ...metadata }, spec };
}

let changes = 0;

/** Another spec each time: there are no warnings about one that stays as it is. */
function changed(spec: object): object {
  changes += 1;
  return { ...spec, matchLabels: { change: `${changes}` } };
}

/** What `kubectl apply` warns of. */
async function warnings(space: ReloaderSpace, spec: object): Promise<readonly string[]> {
  const { exitCode, stderr } = await world.cluster.tryKubectl(["-n", space.namespace, "apply", "-f", "-"], {
    input: JSON.stringify(manifest(spec)),
  });
  expect(exitCode, stderr).toBe(0);
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("Warning: "))
    .map((line) => line.slice("Warning: ".length));
}

describe("a ReloaderConfig is refused", () => {
  const ofSlack = (channel: object) => ({ alerts: { slack: channel } });
  const ofWindow = (fields: object) => ({ windows: [{ ...window, ...fields }] });
  const template = (text: string) => ({
    alerts: { customWebhook: { url, format: "Template", template: text } },
  });

  it.each<[string, object, string, string]>([
    [
      "for an http URL",
      ofSlack({ url: "http://hooks.example.com/token" }),
      "spec.alerts.slack.url",
      "write an https URL",
    ],
    [
      "for a private address",
      ofSlack({ url: "https://10.1.2.3/token" }),
      "spec.alerts.slack.url",
      "use a public one",
    ],
    [
      "for a loopback address",
      ofSlack({ url: "https://[::1]/token" }),
      "spec.alerts.slack.url",
      "use a public one",
    ],
    [
      "for a metadata service",
      ofSlack({ url: "https://169.254.169.254/token" }),
      "spec.alerts.slack.url",
      "use a public one",
    ],
    [
      "for an address as a number",
      ofSlack({ url: "https://2130706433/token" }),
      "spec.alerts.slack.url",
      "use a public one",
    ],
    [
      "for credentials in a URL",
      ofSlack({ url: "https://me:token@example.com" }),
      "spec.alerts.slack.url",
      "write it without them",
    ],
    [
      "for a Secret of another namespace",
      ofSlack({ secretRef: { name: "hook", namespace: "kube-system" } }),
      "spec.alerts.slack.secretRef.namespace",
      "remove it, and create the Secret there",
    ],
    [
      "for a template that is no JSON",
      template("{{text}}"),
      "spec.alerts.customWebhook.template",
      "write one with placeholders",
    ],
    [
      "for an unknown placeholder",
      template('"{{nothing}}"'),
      "spec.alerts.customWebhook.template",
      "write one of {{title}}",
    ],
    [
      "for a window that never opens",
      ofWindow({ schedule: "0 0 30 2 *" }),
      "spec.windows[0].schedule",
      "write a day that exists",
    ],
    [
      "for an impossible time",
      ofWindow({ schedule: "61 0 * * *" }),
      "spec.windows[0].schedule",
      "write the minute, hour",
    ],
    [
      "for an unknown time zone",
      ofWindow({ timeZone: "Europe/Atlantis" }),
      "spec.windows[0].timeZone",
      "write a name such as",
    ],
    [
      "for a window of years",
      ofWindow({ duration: "99999h" }),
      "spec.windows[0].duration",
      "write a shorter one",
    ],
    [
      "for a selector without values",
      { watchedResources: { resourceSelector: { matchExpressions: [{ key: "tier", operator: "In" }] } } },
      "spec.watchedResources.resourceSelector",
      "In needs at least one value",
    ],
    [
      "for a selector of impossible labels",
      { watchedResources: { namespaceSelector: { matchLabels: { "a b": "c" } } } },
      "spec.watchedResources.namespaceSelector",
      "the key",
    ],
  ])("%s", async (_title, spec, field, advice) => {
    const refused = { metadata: { namespace: early.namespace, name: "refused" }, spec };
    const created = world.client.create(genericResource(ReloaderConfig), refused, { dryRun: true });
    await expect(created).rejects.toThrow(`${field}: `);
    await expect(created).rejects.toThrow(advice);
    await expect(created).rejects.not.toThrow("token");
  });

  it("for a workload that is named twice, with and without its namespace", async () => {
    const targets = [target, { ...target, namespace: early.namespace }];
    expect(await early.refusal(manifest({ targets }, { name: "refused" }))).toContain(
      "spec.targets[1]: names the same workload as targets[0]; remove one of the two",
    );
  });

  it("with all problems at once", async () => {
    const spec = { ...ofSlack({ url: "http://a" }), ...ofWindow({ timeZone: "Mars" }) };
    const refusal = await early.refusal(manifest(spec, { name: "refused" }));
    expect(refusal).toContain("spec.alerts.slack.url");
    expect(refusal).toContain("spec.windows[0].timeZone");
  });

  it("only for what an update adds", async () => {
    const problem = 'spec.windows[0].timeZone: the time zone "Mars" is not known';
    const windows = [{ ...window, timeZone: "Mars" }];
    await early.kubectl("annotate", "rlc", "mine", "example.com/note=1");
    const patch = JSON.stringify({ spec: { mode: "notify" } });
    const args = ["-n", early.namespace, "patch", "rlc", "mine", "--type=merge", "-p", patch];
    const { stderr } = await world.cluster.tryKubectl(args);
    expect(stderr).toContain(`Warning: ${problem}`);
    const refusal = await early.refusal(manifest({ windows, ...ofSlack({ url: "http://a" }) }));
    expect(refusal).toContain("spec.alerts.slack.url");
    expect(refusal).not.toContain(problem);
    const degraded = () => early.conditionOf(ReloaderConfig, "mine", "Degraded");
    await expect.poll(degraded).toMatchObject({ status: "True", message: expect.stringContaining(problem) });
  });
});

describe("a ReloaderConfig is accepted with a warning", () => {
  it("of everything that does not exist yet", async () => {
    const space = await ReloaderSpace.create(world);
    const spec = {
      watchedResources: { secrets: ["db"], configMaps: ["app"] },
      targets: [target, { kind: "Rollout", name: "canary" }],
      alerts: { slack: { secretRef: { name: "hook" } }, teams: { url } },
    };
    expect(await warnings(space, spec)).toEqual([
      "target Deployment/web does not exist yet; it is reloaded once it does",
      "target Rollout/canary cannot exist yet: the API server does not serve Rollouts",
      "ConfigMap app does not exist yet; changes count once it does",
      "Secret db does not exist yet; changes count once it does",
      "spec.alerts.slack: Secret hook does not exist; create it with the URL under the key url",
      expect.stringMatching(/^spec\.alerts\.teams\.url can be read by all who may read this/),
    ]);
    expect(await warnings(space, spec), "the same again").toEqual([]);
  });

  it("of targets that autoReloadAll does not help, and of targets of other configs", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createDeployment("web");
    await space.createDeployment("api", { spec: { containers: [usingContainer({ secret: "db" })] } });
    await space.createConfig("other", { autoReloadAll: true, targets: [{ ...target, name: "api" }] });
    const spec = { autoReloadAll: true, targets: [target, { ...target, name: "api" }] };
    // The cache of the operator may not have the other one at once.
    await expect
      .poll(() => warnings(space, changed(spec)))
      .toEqual([
        "target Deployment/web uses no Secret or ConfigMap, so that autoReloadAll has no effect on it",
        expect.stringContaining(`target Deployment/api is also a target of ${space.namespace}/other; `),
      ]);
  });

  it("of a spec that does nothing", async () => {
    const space = await ReloaderSpace.create(world);
    expect(await warnings(space, {})).toEqual(["The spec has no targets; add the workloads to reload"]);
  });

  it("of nothing if all is well", async () => {
    const space = await ReloaderSpace.create(world);
    await space.createSecret("db", { a: "1" });
    await space.createDeployment("web");
    const spec = { watchedResources: { secrets: ["db"] }, targets: [target] };
    await expect.poll(() => warnings(space, changed(spec))).toEqual([]);
  });
});
