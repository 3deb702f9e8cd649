import { createHash } from "node:crypto";
import type { ObjectKey } from "keelson";
import { formatConsumer, type NamedConsumer } from "./consumer.ts";

/** The group of the kinds, and the prefix of annotations and labels. */
export const group = "vault.keelson.dev";

/** The field owner of everything that the operator writes. */
export const fieldOwner = "shared-secret";

/** On the Secret of a SharedSecret: random text that the version of its content is computed with. */
export const saltAnnotation = `${group}/salt`;

/** On the Secret of a SharedSecret: when a rotator wrote its content. */
export const rotatedAtAnnotation = `${group}/rotated-at`;

/** On Secrets: the name of the SharedSecret that they belong to. */
export const secretLabel = `${group}/shared-secret`;

/** On copies of a Secret in other namespaces: the namespace of the SharedSecret. */
export const copyLabel = `${group}/copied-from`;

/** On the pod template of a workload: when the operator last restarted it. The pods inherit it. */
export const restartedAtAnnotation = `${group}/restarted-at`;

/** On pods: the consumer that they belong to, as the webhook found it. */
export const consumerAnnotation = `${group}/consumer`;

/** On pods: what was injected, as `namespace/name:permission`, with commas; empty if something is not allowed. */
export const injectedAnnotation = `${group}/injected`;

/** The name of the Secret of a SharedSecret. */
export function secretNameOf(sharedSecret: string): string {
  return `${sharedSecret}-secret`;
}

/** The name of the copy of a Secret in another namespace. */
export function copyNameOf({ namespace, name }: ObjectKey): string {
  return shortened(`${namespace}.${secretNameOf(name)}`, 253);
}

/** The longest name of a ServiceAccount that can also be the value of a label. */
const longestAccount = 63;

/**
 * The name of the ServiceAccount with which pods of a consumer run if they have a rotator: `web-rotator-1f9a0c2b7d`. It is the
 * same for the same consumer, and differs for workloads of other kinds with the same name. The controller creates it, in the
 * namespace of the consumer.
 */
export function rotatorAccountOf(consumer: NamedConsumer): string {
  return withEnd(consumer.name, `-rotator-${digestOf(formatConsumer(consumer))}`, longestAccount);
}

/** A text that fits, and differs if the whole text does. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : withEnd(text, `-${digestOf(text)}`, length);
}

function withEnd(text: string, end: string, length: number): string {
  return `${text.slice(0, length - end.length).replace(/[-.]+$/, "")}${end}`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}
