import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import { isRecord } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import { formatRef, type ResourceRef, type WatchedResource } from "../resource/watched-resource.ts";
import type { Workload } from "../workload/workload.ts";

/** The last part of upstream's variables, and the type in upstream's annotation. */
export function upstreamType({ kind }: Pick<ResourceRef, "kind">): string {
  return kind.toUpperCase();
}

/**
 * The environment variable that upstream sets for a resource, such as `STAKATER_MY_SECRET_SECRET`. Other characters than
 * letters and digits become one `_`, so resources such as `a.b` and `a-b` have the same.
 */
export function upstreamVariable(resource: Pick<ResourceRef, "kind" | "name">): string {
  const name = resource.name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_/, "");
  return `STAKATER_${name}_${upstreamType(resource)}`;
}

/**
 * The hashes, by upstream, with which the pods of a workload were started, as far as its pod template shows them by
 * upstream's variables or annotation: by `namespace/Kind/name`, for those of the given resources that are shown. One that
 * differs from the hash now shows a change that was not rolled out. Where the template shows two hashes for one resource,
 * because upstream's strategy was changed, the one of the content now counts. Of resources that share a variable,
 * it belongs to the one whose hash it has; if it has none of theirs, each of them may have changed.
 */
export function upstreamBaselines(
  { template, metadata }: Pick<Workload, "template" | "metadata">,
  resources: readonly WatchedResource[],
  keys: Pick<AnnotationKeys, "lastReloadedFrom">,
): ReadonlyMap<string, string> {
  const variables = variablesOf(template);
  const own = resources.filter(({ namespace }) => namespace === metadata.namespace);
  const fresh = new Set(
    own
      .filter((resource) => variables.get(upstreamVariable(resource))?.has(resource.upstreamHash) === true)
      .map(upstreamVariable),
  );
  const source = reloadSourceOf(template, keys);
  const baselines = new Map<string, string>();
  for (const resource of own) {
    const variable = upstreamVariable(resource);
    const shown = [...(variables.get(variable) ?? [])].filter(
      (hash) => hash === resource.upstreamHash || !fresh.has(variable),
    );
    if (source !== undefined && formatRef(source.resource) === formatRef(resource)) shown.push(source.hash);
    const baseline = shown.find((hash) => hash === resource.upstreamHash) ?? shown[0];
    if (baseline !== undefined) baselines.set(formatRef(resource), baseline);
  }
  return baselines;
}

/** The values of upstream's variables, by name; a template may have one in several containers. */
function variablesOf(template: PodTemplateSpec | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  const variables = new Map<string, Set<string>>();
  for (const { env = [] } of template?.spec?.containers ?? []) {
    for (const { name, value } of env) {
      if (!name.startsWith("STAKATER_") || value === undefined) continue;
      const values = variables.get(name) ?? new Set();
      variables.set(name, values.add(value));
    }
  }
  return variables;
}

/** The resource of upstream's annotation about the last reload, and the hash that it had. */
interface ReloadSource {
  readonly resource: ResourceRef;
  readonly hash: string;
}

/** Reads upstream's annotation, in the form of its first version (`type`) or of its second (`kind`). */
export function reloadSourceOf(
  template: PodTemplateSpec | undefined,
  keys: Pick<AnnotationKeys, "lastReloadedFrom">,
): ReloadSource | undefined {
  const text = template?.metadata?.annotations?.[keys.lastReloadedFrom];
  const source = text === undefined ? undefined : parsed(text);
  if (!isRecord(source)) return undefined;
  const { type, kind: kindName = type, name, namespace, hash } = source;
  const kind = (["ConfigMap", "Secret", "SecretProviderClass"] as const).find(
    (each) => each.toLowerCase() === String(kindName).toLowerCase(),
  );
  if (kind === undefined) return undefined;
  return typeof name === "string" && typeof namespace === "string" && typeof hash === "string"
    ? { resource: { kind, namespace, name }, hash }
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
