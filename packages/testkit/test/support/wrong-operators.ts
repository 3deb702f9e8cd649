import {
  controller,
  defineOperator,
  keyOf,
  mergePatch,
  type ObjectOf,
  type ObjectReconciler,
  type Operator,
} from "keelson";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { ownerReferenceTo, writeStatus } from "keelson/object";
import { fieldOwner, Greeting, nameOf } from "./greeter.ts";

function operatorOf(name: string, reconcile: ObjectReconciler<ObjectOf<typeof Greeting>>): Operator {
  return defineOperator({
    name,
    resources: [Greeting],
    setup: (manager) => void manager.add(controller(Greeting).owns(ConfigMap).reconcile(reconcile)),
  });
}

/** Makes an object whose name the server chooses, and notes only then that it has. */
export const forgetful: Operator = operatorOf("forgetful", async ({ object, liveClient }) => {
  if (object.status?.phase === "Ready") return;
  const { name, namespace } = object.metadata;
  const ownerReferences = [ownerReferenceTo({ resource: Greeting, object }, { controller: true })];
  await liveClient.create(ConfigMap, { metadata: { generateName: `${name}-`, namespace, ownerReferences } });
  await writeStatus(liveClient, Greeting, object, { phase: "Ready" }, { fieldOwner });
});

/** Adds one to what it finds, and notes only then that it has. */
export const counter: Operator = operatorOf("counter", async ({ object, liveClient }) => {
  if (object.status?.phase === "Ready") return;
  const { name, namespace } = object.metadata;
  const key = { name: nameOf(name), namespace };
  const { data } = await liveClient.get(ConfigMap, key);
  const count = String(Number(data?.count ?? 0) + 1);
  await liveClient.patch(ConfigMap, key, mergePatch({ data: { count } }));
  await writeStatus(liveClient, Greeting, object, { phase: "Ready" }, { fieldOwner });
});

/** Writes something first, and takes that for a sign that all is done. */
export const careless: Operator = operatorOf("careless", async ({ object, liveClient }) => {
  if (object.status?.greeted !== undefined) return;
  await writeStatus(liveClient, Greeting, object, { greeted: object.spec.whom }, { fieldOwner });
  const noted = await liveClient.get(Greeting, keyOf(object));
  await writeStatus(liveClient, Greeting, noted, { ...noted.status, phase: "Ready" }, { fieldOwner });
});

/** Writes a status once after each start, whether it has changed or not. */
export const restless: Operator = defineOperator({
  name: "restless",
  resources: [Greeting],
  setup: (manager) => {
    const written = new Set<string>();
    const reconcile: ObjectReconciler<ObjectOf<typeof Greeting>> = async ({ object, liveClient }) => {
      const { uid, resourceVersion } = object.metadata;
      if (written.has(uid)) return;
      written.add(uid);
      const status = { phase: "Ready", greeted: `after ${resourceVersion}` };
      await writeStatus(liveClient, Greeting, object, status, { fieldOwner });
    };
    manager.add(controller(Greeting).reconcile(reconcile));
  },
});

/** Applies a Secret without declaring it. */
export const undeclared: Operator = operatorOf("undeclared", async ({ object, liveClient }) => {
  const { name, namespace } = object.metadata;
  await liveClient.apply(Secret, { metadata: { name: nameOf(name), namespace } }, { fieldOwner });
  await writeStatus(liveClient, Greeting, object, { phase: "Ready" }, { fieldOwner });
});

/** Reports only the last of two errors. */
export const hiding: Operator = operatorOf("hiding", async ({ object, liveClient }) => {
  const { name, namespace } = object.metadata;
  const applied = await liveClient
    .apply(ConfigMap, { metadata: { name: nameOf(name), namespace } }, { fieldOwner })
    .catch(() => undefined);
  const phase = applied === undefined ? "Failed" : "Ready";
  await writeStatus(liveClient, Greeting, object, { phase }, { fieldOwner });
});
