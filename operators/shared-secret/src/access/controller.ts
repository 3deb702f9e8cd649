import {
  type ControllerDefinition,
  controller,
  find,
  generationChanged,
  jsonPatch,
  NotFoundError,
  type ObjectContext,
} from "keelson";
import { pointer } from "keelson/low-level";
import { isRefusedPatch } from "keelson/object";
import { consumerOf } from "../api/consumer.ts";
import { fieldOwner } from "../api/names.ts";
import { EventReason } from "../api/reasons.ts";
import { SecretAccess } from "../api/secret-access.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { approvalLine } from "../policy/cluster-policy.ts";
import { requestText } from "../policy/policy.ts";

/** Shows that a new SecretAccess waits for a decision, and how to approve it. It never decides. */
export const secretAccessController: ControllerDefinition = controller(SecretAccess, {
  fieldOwner,
  predicates: [generationChanged],
}).reconcile(showPending);

async function showPending(context: ObjectContext<SecretAccess>): Promise<void> {
  const { object, event } = context;
  const { metadata, status } = object;
  if (metadata.deletionTimestamp !== undefined || status?.decision !== undefined) return;
  if (!(await writePending(context))) return;
  const line = approvalLine(metadata.namespace, metadata.name);
  event("Normal", EventReason.AccessRequested, `${await textOf(context)}; to approve: ${line}`);
}

/** A decision that came in between must not be overwritten: then nothing is written, and false returned. */
async function writePending({ object, client }: ObjectContext<SecretAccess>): Promise<boolean> {
  const { generation = 1, resourceVersion, namespace, name } = object.metadata;
  const status = { ...object.status, observedGeneration: generation, decision: "Pending" };
  const patch = jsonPatch([
    { op: "test", path: pointer("metadata", "resourceVersion"), value: resourceVersion },
    { op: "add", path: pointer("status"), value: status },
  ]);
  try {
    await client.status(SecretAccess).patch({ namespace, name }, patch, { fieldOwner });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError || isRefusedPatch(error)) return false;
    throw error;
  }
}

async function textOf({ object, client }: ObjectContext<SecretAccess>): Promise<string> {
  const { spec, metadata } = object;
  const { permission, consumer, secret, rotateSeconds = 0 } = spec;
  const isKnown =
    (await find(client, SharedSecret, { namespace: metadata.namespace, name: secret })) !== undefined;
  const what = `SharedSecret ${secret}${isKnown ? "" : ", which does not exist"}`;
  if (consumer === undefined || permission === "Share") return requestText(what, { rotateSeconds });
  return requestText(what, { consumer: consumerOf(consumer, metadata.namespace), permission });
}
