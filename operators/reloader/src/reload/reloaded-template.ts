import type { Container, EnvVar, PodTemplateSpec } from "keelson/kinds/core/v1";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import { referencesOf } from "../decision/references.ts";
import { formatRef } from "../resource/watched-resource.ts";
import type { ReloadRequest, ResourceChange } from "./reload-request.ts";
import { reloadSourceOf, upstreamType, upstreamVariable } from "./upstream-marks.ts";

/** The environment variable that shows when a container was last reloaded. */
const triggerVariable = "RELOADER_TRIGGERED_AT";

type TemplateKeys = Pick<AnnotationKeys, "lastReload" | "resourceHash" | "lastReloadedFrom">;

/**
 * The pod template of a workload after a reload. Both strategies set the annotations `last-reload` and `resource-hash`.
 * `env-vars` also sets `RELOADER_TRIGGERED_AT` in the containers that use what changed, or in the first one if none does;
 * `annotations` sets upstream's `last-reloaded-from`, which has room for one resource: the last of the changes, as if
 * upstream had reloaded for one after the other.
 *
 * What upstream has written for a changed resource stays true under both strategies, or a later look at it would find a
 * change that was rolled out long ago. Its variable is set to upstream's hash, and removed if the resource was
 * deleted; `RELOADER_TRIGGERED_AT` is then not needed to show the change. If the variable has that hash already, because
 * another resource shares it, `RELOADER_TRIGGERED_AT` shows it.
 */
export function reloadedTemplate(
  template: PodTemplateSpec,
  request: Pick<ReloadRequest, "workload" | "strategy" | "changes" | "time" | "hash">,
  keys: TemplateKeys,
): PodTemplateSpec {
  const { strategy, time, hash } = request;
  const withVariables = withUpstreamHashes(template, upstreamHashesOf(request));
  const triggered = strategy === "env-vars" ? triggeredContainers(template, request) : new Set<number>();
  const source = sourceToShow(template, request, keys);
  return {
    ...withContainers(withVariables, (container, index) =>
      triggered.has(index) ? withVariable(container, { name: triggerVariable, value: time }) : container,
    ),
    metadata: {
      ...template.metadata,
      annotations: {
        ...template.metadata?.annotations,
        ...(source !== undefined && { [keys.lastReloadedFrom]: formatSource(source, template, request) }),
        [keys.lastReload]: time,
        [keys.resourceHash]: hash,
      },
    },
  };
}

/** Upstream's hashes by upstream's variables; undefined where a resource was deleted. */
type UpstreamHashes = ReadonlyMap<string, string | undefined>;

function upstreamHashesOf({
  workload,
  changes,
}: Pick<ReloadRequest, "workload" | "changes">): UpstreamHashes {
  const hashes = new Map<string, string | undefined>();
  for (const { resource, upstreamHash } of changes) {
    if (resource.namespace !== workload.metadata.namespace) continue;
    const name = upstreamVariable(resource);
    hashes.set(name, upstreamHash ?? hashes.get(name));
  }
  return hashes;
}

/** The variables that the template has already get the new hashes. None is added. */
function withUpstreamHashes(template: PodTemplateSpec, hashes: UpstreamHashes): PodTemplateSpec {
  return withContainers(template, (container) => {
    const { env = [] } = container;
    if (!env.some((variable) => hasHash(variable, hashes))) return container;
    return {
      ...container,
      env: env.flatMap((variable) => {
        if (!hasHash(variable, hashes)) return [variable];
        const value = hashes.get(variable.name);
        return value === undefined ? [] : [{ name: variable.name, value }];
      }),
    };
  });
}

function hasHash({ name, value }: EnvVar, hashes: UpstreamHashes): boolean {
  return value !== undefined && hashes.has(name);
}

/** The positions of the containers that show a change by `RELOADER_TRIGGERED_AT`. */
function triggeredContainers(
  template: PodTemplateSpec,
  request: Pick<ReloadRequest, "workload" | "changes">,
): ReadonlySet<number> {
  const hashes = upstreamHashesOf(request);
  const variables = (template.spec?.containers ?? []).flatMap(({ env = [] }) => env);
  const isShown = ({ resource }: ResourceChange) => {
    const name = resource.namespace === request.workload.metadata.namespace && upstreamVariable(resource);
    return variables.some(
      (variable) =>
        variable.name === name && hasHash(variable, hashes) && variable.value !== hashes.get(name),
    );
  };
  const shown = request.changes.filter((change) => !isShown(change));
  return new Set(shown.map((change) => usersOf(change, template, request)?.containerIndex ?? 0));
}

function usersOf(
  { resource }: ResourceChange,
  template: PodTemplateSpec,
  { workload }: Pick<ReloadRequest, "workload">,
): ReturnType<ReturnType<typeof referencesOf>["useOf"]> {
  return resource.namespace === workload.metadata.namespace
    ? referencesOf(template).useOf(resource.kind, resource.name)
    : undefined;
}

/** The change that upstream's annotation is to show, if it is to be written. */
function sourceToShow(
  template: PodTemplateSpec,
  { strategy, changes }: Pick<ReloadRequest, "strategy" | "changes">,
  keys: TemplateKeys,
): ResourceChange | undefined {
  if (strategy === "annotations") return changes.at(-1);
  const shown = reloadSourceOf(template, keys)?.resource;
  return shown && changes.find(({ resource }) => formatRef(resource) === formatRef(shown));
}

/** In upstream's form. The hash of a resource that was deleted is empty, so that none that is created later has it. */
function formatSource(
  change: ResourceChange,
  template: PodTemplateSpec,
  request: Pick<ReloadRequest, "workload" | "time">,
): string {
  const { resource, upstreamHash = "" } = change;
  return JSON.stringify({
    type: upstreamType(resource),
    name: resource.name,
    namespace: resource.namespace,
    hash: upstreamHash,
    containerRefs: usersOf(change, template, request)?.containers ?? [],
    observedAt: Math.floor(Date.parse(request.time) / 1000),
  });
}

function withContainers(
  template: PodTemplateSpec,
  change: (container: Container, index: number) => Container,
): PodTemplateSpec {
  if (template.spec === undefined) return template;
  return { ...template, spec: { ...template.spec, containers: template.spec.containers.map(change) } };
}

function withVariable(container: Container, variable: EnvVar): Container {
  const { env = [] } = container;
  const isKnown = env.some(({ name }) => name === variable.name);
  return {
    ...container,
    env: isKnown ? env.map((each) => (each.name === variable.name ? variable : each)) : [...env, variable],
  };
}
