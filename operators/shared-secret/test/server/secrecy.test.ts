import { inspect } from "node:util";
import { RecordingLogger, type RunningOperator, runOperator, startWorld, type World } from "@keelson/testkit";
import type { Resource } from "keelson";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "keelson/kinds/apps/v1";
import { ConfigMap, Pod, ServiceAccount } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import { Role, RoleBinding } from "keelson/kinds/rbac/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { sharedSecret } from "../../src/operator.ts";
import { SharedSecretSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;
const log = new RecordingLogger();

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL, { nodes: 1 });
  operator = await runOperator(sharedSecret, { access: world.cluster, webhooks: true, log });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

/** All that people can read who may not read Secrets. */
const readable: readonly Resource[] = [
  ...[SharedSecret, SecretAccess, Pod, Event, ConfigMap, Deployment, ReplicaSet, StatefulSet, DaemonSet],
  ...[Role, RoleBinding, ServiceAccount],
];

/** A value as it is, and in the forms in which it would be hidden from a search for it. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("hex"),
    encodeURIComponent(value),
  ];
}

it("shows the value of a secret nowhere but in Secrets", async () => {
  const space = await SharedSecretSpace.create(world);
  const other = await SharedSecretSpace.create(world);
  const { namespace } = space;
  const values = ["hunter2!first-value", "hunter2!second-value"];
  const asking = {
    annotations: {
      "vault.keelson.dev/secret-ro": `${namespace}/db`,
      "vault.keelson.dev/mount-path": "/etc/db",
    },
    spec: { containers: [{ name: "app", image: "app", env: [{ name: "DB", value: `<${namespace}/db>` }] }] },
  };
  await space.createApproved("db");
  await space.writeValue("db", values[0] ?? "");
  await space.allowDeployment("db", "web");
  await space.allow("db", { namespace: other.namespace, kind: "Deployment", name: "web" });
  await space.createDeployment("web", asking);
  await other.createDeployment("web", asking);
  await space.createDeployment("waiting", asking);
  await space.hasPods("web", 1);
  await other.hasPods("web", 1);
  await space.writeValue("db", values[1] ?? "");
  await space.flag("db");
  await space.isRestarted("db");
  expect(await space.valueIn("db-secret")).toBe(values[1]);
  await expect.poll(() => other.valueIn(`${namespace}.db-secret`)).toBe(values[1]);
  // A failure, whose messages are the longest.
  await space.createDeployment("paused", asking);
  await space.kubectl("rollout", "pause", "deployment/paused");
  await space.allowDeployment("db", "paused");
  await space.flag("db");
  await expect
    .poll(() => space.conditionOf(SharedSecret, "db", "ConsumersRestarted"), { timeout: 30_000 })
    .toMatchObject({ reason: "RestartFailed" });
  const shown = await Promise.all(
    [space, other].flatMap((each) =>
      readable.map(async (resource) => JSON.stringify(await each.list(resource))),
    ),
  );
  const texts = {
    objects: shown.join("\n"),
    log: inspect(log.lines, { depth: 8, maxArrayLength: null, maxStringLength: null }),
    metrics: await operator.metrics(),
  };
  expect(texts.objects).toContain("db-secret");
  expect(texts.metrics).toContain("keelson_shared_secret_consumers");
  for (const [where, text] of Object.entries(texts))
    for (const form of values.flatMap(formsOf))
      expect(text.includes(form), `${where} must not contain ${form}`).toBe(false);
});
