import { formatKey } from "keelson";
import type { EnvVar, Pod } from "keelson/kinds/core/v1";
import type { SecretKey } from "../policy/policy.ts";
import { type Ask, askPrefix } from "./asks.ts";
import { containersOf } from "./pod-containers.ts";

/** The key of a Secret that a placeholder without a key stands for. */
const defaultKey = "value";

const pattern = /^<(?:([a-z0-9-]{1,63})\/)?([a-z0-9-]{1,63})(?:#([-._a-zA-Z0-9]{1,253}))?>$/;

/** An environment value such as `<shop/orders-db>` or `<orders-db#password>`. */
export interface Placeholder {
  readonly secret: SecretKey;
  readonly key: string;
  /** Whether it names the namespace. Other texts, such as `<none>`, may look like one that does not. */
  readonly isQualified: boolean;
}

/** The placeholder that the value of a variable is; undefined for any other value. */
export function placeholderIn({ value }: EnvVar, podNamespace: string): Placeholder | undefined {
  const [, namespace, name, key = defaultKey] = pattern.exec(value ?? "") ?? [];
  if (name === undefined) return undefined;
  return {
    secret: { namespace: namespace ?? podNamespace, name },
    key,
    isQualified: namespace !== undefined,
  };
}

/** What the environment of a pod says about what it asks for. */
export interface PlaceholderFindings {
  /** The SharedSecrets, as `namespace/name`, that a variable is to have. */
  readonly used: ReadonlySet<string>;
  /** Placeholders of SharedSecrets that are not asked for. */
  readonly problems: readonly string[];
  /** Values that look like placeholders and stay as they are. */
  readonly warnings: readonly string[];
}

/** Compares the placeholders in the environment of a pod with what it asks for. */
export function findPlaceholders(pod: Pod, asks: readonly Ask[], podNamespace: string): PlaceholderFindings {
  const asked = new Set(asks.map(({ secret }) => formatKey(secret)));
  const used = new Set<string>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const container of containersOf(pod)) {
    for (const variable of container.env ?? []) {
      const placeholder = placeholderIn(variable, podNamespace);
      if (placeholder === undefined) continue;
      const key = formatKey(placeholder.secret);
      const where = `variable ${variable.name} of container ${container.name}`;
      if (asked.has(key)) used.add(key);
      else if (placeholder.isQualified)
        problems.push(
          `${where}: SharedSecret ${key} is not asked for; add it to the annotation ${askPrefix}ro`,
        );
      else
        warnings.push(
          `${where} looks like SharedSecret ${key}, which the pod does not ask for; it stays as it is`,
        );
    }
  }
  return { used, problems, warnings };
}
