import type { Container, Pod, Volume } from "keelson/kinds/core/v1";

/** The containers of a pod, also those that run before the others. */
export function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}

/** The same pod with other containers. */
export function mapContainers(pod: Pod, change: (container: Container) => Container): Pod {
  const { spec } = pod;
  if (spec === undefined) return pod;
  const { containers, initContainers } = spec;
  const initial = initContainers === undefined ? {} : { initContainers: initContainers.map(change) };
  return { ...pod, spec: { ...spec, containers: containers.map(change), ...initial } };
}

/** Adds volumes; one whose name exists is left as it is. */
export function withVolumes(pod: Pod, volumes: readonly Volume[]): Pod {
  const { spec } = pod;
  const existing = spec?.volumes ?? [];
  const missing = volumes.filter((volume) => existing.every(({ name }) => name !== volume.name));
  if (spec === undefined || missing.length === 0) return pod;
  return { ...pod, spec: { ...spec, volumes: [...existing, ...missing] } };
}
