import { type Cluster, startCluster } from "@keelson/testkit";
import { type Client, InvalidError, systemClock } from "keelson";
import { accessFromKubeconfig, createClient, httpTransport, type Transport } from "keelson/client";
import { genericResource, isRecord } from "keelson/low-level";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReloadRecord } from "../../src/api/reload-record.ts";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";

let cluster: Cluster;
let transport: Transport;
let client: Client;

beforeAll(async () => {
  cluster = await startCluster(process.env.KEELSON_LEVEL);
  transport = httpTransport(accessFromKubeconfig(cluster.kubeconfig, { clock: systemClock, env: {} }));
  client = createClient({ transport });
  await installCrds(client, [ReloaderConfig, ReloadRecord]);
});
afterAll(async () => {
  await transport?.close();
  await cluster?.stop();
});

let created = 0;

/** Gives the spec as it is stored. */
async function create(spec: object): Promise<unknown> {
  created += 1;
  const metadata = { namespace: "default", name: `config-${created}` };
  const stored = await client.create(genericResource(ReloaderConfig), { metadata, spec });
  return "spec" in stored ? stored.spec : undefined;
}

const target = { kind: "Deployment", name: "web" };
const secretRef = { name: "hook" };
const url = "https://hooks.example.com/a";
const window = { schedule: "0 3 * * 6", duration: "2h" };
const labels = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`label-${index}`, "x"]));

describe("a ReloaderConfig is stored", () => {
  it("with defaults, and the texts of durations as they were written", async () => {
    const spec = { watchedResources: {}, targets: [{ ...target, pausePeriod: "90m" }] };
    expect(await create({ ...spec, alerts: { slack: { secretRef }, customWebhook: { url } } })).toEqual({
      watchedResources: { enableTargetedReload: false },
      targets: [{ ...target, pausePeriod: "90m", requireReference: false }],
      alerts: {
        slack: { secretRef: { name: "hook", key: "url" } },
        customWebhook: { url, format: "Slack" },
      },
      ...{ autoReloadAll: false, reloadOnCreate: false, reloadOnDelete: false, mode: "reload" },
    });
  });

  it.each<[string, object]>([
    ["without anything", {}],
    [
      "with a duration in microseconds by either letter",
      { targets: [{ ...target, pausePeriod: "5µs3μs1us" }] },
    ],
    [
      "with a duration of fractions and several units",
      { targets: [{ ...target, pausePeriod: "1.5h0.25m3s" }] },
    ],
    ["with a duration of zero", { targets: [{ ...target, pausePeriod: "0s" }] }],
    [
      "with workloads of one name and different kinds or namespaces",
      { targets: [target, { ...target, kind: "Job" }, { ...target, namespace: "shop" }] },
    ],
    [
      "with as many targets as possible",
      { targets: Array.from({ length: 256 }, (_, index) => ({ ...target, name: `web-${index}` })) },
    ],
    [
      "with as many names as possible",
      { watchedResources: { secrets: Array.from({ length: 1024 }, (_, index) => `secret-${index}`) } },
    ],
    ["with labels", { matchLabels: { "example.com/tier": "front_end.1", plain: "" } }],
    [
      "with windows",
      { windows: [window, { ...window, schedule: "@daily", timeZone: "America/Argentina/Salta" }] },
    ],
    [
      "with every kind",
      { targets: ["CronJob", "Rollout", "DeploymentConfig"].map((kind) => ({ kind, name: "a.b" })) },
    ],
    ["with a template", { alerts: { customWebhook: { url, format: "Template", template: "{}" } } }],
  ])("%s", async (_title, spec) => {
    await create(spec);
  });

  it("without fields that it does not have", async () => {
    const spec = await create({ reloadEverything: true, watchedResources: { pods: ["a"] } });
    expect(isRecord(spec) && { ...spec }).not.toHaveProperty("reloadEverything");
    expect(JSON.stringify(spec)).not.toContain("pods");
  });
});

describe("a ReloaderConfig is refused", () => {
  const ofTarget = (fields: object) => ({ targets: [{ ...target, ...fields }] });
  const ofSlack = (slack: object) => ({ alerts: { slack } });
  const ofWindow = (fields: object) => ({ windows: [{ ...window, ...fields }] });

  it.each<[string, object, string]>([
    ["for a kind that cannot be reloaded", ofTarget({ kind: "Pod" }), 'supported values: "Deployment"'],
    ["for a target without a name", { targets: [{ kind: "Deployment" }] }, "spec.targets[0].name"],
    ["for a name with capitals", ofTarget({ name: "Web" }), "must be the name of one object, such as"],
    ["for a pattern of names", { watchedResources: { secrets: ["db-.*"] } }, "hyphens and dots, no pattern"],
    ["for a namespace with dots", ofTarget({ namespace: "a.b" }), "must be the name of a namespace"],
    [
      "for a duration without a unit",
      ofTarget({ pausePeriod: "5" }),
      "must be a duration with units, such as 30s",
    ],
    [
      "for a negative duration",
      ofTarget({ pausePeriod: "-5m" }),
      "must be a duration with units, such as 30s",
    ],
    ["for a duration in days", ofTarget({ pausePeriod: "2d" }), "must be a duration with units, such as 30s"],
    [
      "for an ISO 8601 duration",
      ofTarget({ pausePeriod: "PT5M" }),
      "must be a duration with units, such as 30s",
    ],
    [
      "for a duration that Go cannot hold",
      ofTarget({ pausePeriod: "9999999999h" }),
      "spec.targets[0].pausePeriod",
    ],
    [
      "for two equal targets",
      { targets: [target, { ...target, pausePeriod: "5m" }] },
      "must not name the same workload twice",
    ],
    [
      "for two equal targets in another namespace",
      {
        targets: [
          { ...target, namespace: "shop" },
          { ...target, namespace: "shop" },
        ],
      },
      "must not name the same workload twice",
    ],
    ["for an unknown strategy", { reloadStrategy: "env" }, 'supported values: "env-vars", "annotations"'],
    ["for an unknown mode", { mode: "dry-run" }, 'supported values: "reload", "notify"'],
    ["for a channel without a source", ofSlack({}), "must have exactly one of url and secretRef"],
    ["for a channel with two", ofSlack({ url, secretRef }), "must have exactly one of url and secretRef"],
    ["for a URL of another scheme", ofSlack({ url: "ftp://a" }), "must be a URL that begins with https://"],
    ["for a URL without a host", ofSlack({ url: "https://" }), "must be a URL that begins with https://"],
    [
      "for a template that is not used",
      { alerts: { customWebhook: { url, template: "{}" } } },
      "write format: Template, or remove the template",
    ],
    [
      "for a format without a template",
      { alerts: { customWebhook: { url, format: "Template" } } },
      "format Template needs a template",
    ],
    [
      "for a schedule of six fields",
      ofWindow({ schedule: "0 0 3 * * 6" }),
      "must be of five fields, such as",
    ],
    ["for a schedule of words", ofWindow({ schedule: "at night" }), "must be of five fields, such as"],
    ["for an interval", ofWindow({ schedule: "@every 1h" }), "must be of five fields, such as"],
    [
      "for a schedule with a time zone",
      ofWindow({ schedule: "TZ=UTC 0 3 * *" }),
      "must not name a time zone; write it to the field timeZone",
    ],
    ["for a window that is never open", ofWindow({ duration: "0s" }), "must be at least 1s"],
    ["for a window without a duration", { windows: [{ schedule: "@daily" }] }, "spec.windows[0].duration"],
    [
      "for a time zone of digits",
      ofWindow({ timeZone: "+02:00" }),
      "must be the name of a time zone, such as",
    ],
    [
      "for a key that no label has",
      { matchLabels: { "a b": "c" } },
      "must have keys of labels, such as tier",
    ],
    ["for a value that no label has", { matchLabels: { a: "b c" } }, "must have values of labels"],
    ["for too many labels", { matchLabels: labels(65) }, "spec.matchLabels"],
    [
      "for an ignored resource of another kind",
      { ignoreResources: [{ kind: "Pod", name: "a" }] },
      "supported values",
    ],
  ])("%s", async (_title, spec, message) => {
    const refused = create(spec);
    await expect(refused).rejects.toThrow(InvalidError);
    await expect(refused).rejects.toThrow(message);
  });
});
