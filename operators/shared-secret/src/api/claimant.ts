import type { Stored } from "keelson";
import { matchesLabels } from "keelson/low-level";
import { type Consumer, isNamed, type NamedConsumer, parseConsumer } from "./consumer.ts";
import { consumerAnnotation } from "./names.ts";

/** A pod that asks for access. */
export interface Claimant {
  /** The workload that it belongs to, in the namespace of the pod. */
  readonly consumer: NamedConsumer;
  /** Undefined if the server generates it. */
  readonly podName: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** A pod as the webhook saw it; undefined if it was created while none was called, as then it is not known whose it is. */
export function claimantOf({ metadata }: Stored): Claimant | undefined {
  const { namespace, name, labels = {}, annotations = {} } = metadata;
  const consumer = parseConsumer(annotations[consumerAnnotation] ?? "");
  if (consumer === undefined || !isNamed(consumer) || consumer.namespace !== namespace) return undefined;
  return { consumer, podName: name, labels };
}

/** Whether a consumer is the workload of a pod, the pod itself, or a selector of its labels. */
export function covers(consumer: Consumer, { consumer: workload, podName, labels }: Claimant): boolean {
  if (consumer.namespace !== workload.namespace) return false;
  if (!isNamed(consumer)) return matchesLabels(consumer.selector, labels);
  const { kind, name } = consumer;
  return (kind === workload.kind && name === workload.name) || (kind === "Pod" && name === podName);
}
