import { type Immutable, labelSelector, rule, z } from "keelson";
import { formatLabelSelector, type LabelQuery, parseLabelSelector } from "keelson/low-level";
import { namespaceName, objectName } from "./fields.ts";

/** What a consumer may do with a SharedSecret: use its value, or also rotate it. */
export const permissions = ["ReadOnly", "ReadWrite"] as const;

export type Permission = (typeof permissions)[number];

/** Whether a permission includes another: to read and write includes to read. */
export function includes(permission: Permission, asked: Permission): boolean {
  return permission === "ReadWrite" || asked === "ReadOnly";
}

/** A consumer as it is written in a SecretAccess. */
export const consumer = rule(
  rule(
    z.object({
      namespace: namespaceName
        .exactOptional()
        .describe("The namespace of the consumer; default: that of the SecretAccess"),
      kind: rule(z.string().min(1).max(63), {
        rule: "self.matches('^[A-Z][A-Za-z0-9]*$')",
        message: "must be a kind, such as Deployment or Pod",
      })
        .exactOptional()
        .describe("The kind of the workload, such as Deployment, or Pod"),
      name: objectName.exactOptional().describe("The name of the workload or pod"),
      selector: labelSelector().exactOptional().describe("In place of kind and name: the labels of pods"),
    }),
    {
      rule: "has(self.kind) == has(self.name)",
      message: "must have a kind and a name, such as Deployment and web, or neither of them and a selector",
    },
  ),
  {
    rule: "has(self.name) != has(self.selector)",
    message: "must have either kind and name, or a selector",
  },
);

/** A workload or a pod by its name, or pods by their labels. */
export type Consumer = NamedConsumer | SelectedConsumer;

/** Such as Deployment `web` in namespace `shop`. */
export interface NamedConsumer {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** The pods of a namespace that have some labels. */
interface SelectedConsumer {
  readonly namespace: string;
  readonly selector: LabelQuery;
}

/** The consumer that a SecretAccess in a namespace names. */
export function consumerOf(
  { namespace, kind, name, selector }: Immutable<z.output<typeof consumer>>,
  accessNamespace: string,
): Consumer {
  const where = namespace ?? accessNamespace;
  if (kind !== undefined && name !== undefined) return { namespace: where, kind, name };
  return { namespace: where, selector: selector ?? {} };
}

export function isNamed(consumer: Consumer): consumer is NamedConsumer {
  return "kind" in consumer;
}

/**
 * A consumer as text, the same for the same consumer: `shop/Deployment/web`, `shop/web-0` for a pod, `shop?app=web` for a
 * selector. Policies outside of the cluster, the status and annotations of pods know consumers by it.
 */
export function formatConsumer(consumer: Consumer): string {
  if (!isNamed(consumer)) return `${consumer.namespace}?${formatLabelSelector(consumer.selector)}`;
  const { namespace, kind, name } = consumer;
  return kind === "Pod" ? `${namespace}/${name}` : `${namespace}/${kind}/${name}`;
}

/** The consumer that a text of `formatConsumer` stands for; undefined for any other text. */
export function parseConsumer(text: string): Consumer | undefined {
  const [, namespace, query] = /^([^/?]+)\?(.+)$/.exec(text) ?? [];
  if (namespace !== undefined && query !== undefined) return parseSelected(namespace, query);
  const parts = text.split("/");
  if (parts.some((part) => part === "")) return undefined;
  const [where = "", ...rest] = parts;
  const [kind, name] = rest.length === 1 ? ["Pod", rest[0]] : rest;
  return rest.length > 2 || kind === undefined || name === undefined
    ? undefined
    : { namespace: where, kind, name };
}

function parseSelected(namespace: string, query: string): Consumer | undefined {
  try {
    return { namespace, selector: parseLabelSelector(query) };
  } catch {
    // A text that is no selector names no consumer; the caller reports it.
    return undefined;
  }
}
