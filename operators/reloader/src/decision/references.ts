import type { Container, PodTemplateSpec, Volume } from "keelson/kinds/core/v1";
import type { ResourceKind } from "../resource/watched-resource.ts";

/** How the containers of a pod template use one resource. */
interface ResourceUse {
  /** The names of the containers and init containers that use it. */
  readonly containers: readonly string[];
  /**
   * The position of the container whose environment changes for it: one that uses it, or the first one if only init containers
   * use it. Undefined if the template has no containers.
   */
  readonly containerIndex: number | undefined;
}

/** Which resources the containers of a pod template use. */
export interface References {
  /** Undefined if no container uses it. */
  useOf(kind: ResourceKind, name: string): ResourceUse | undefined;
  /** The resources that are used, as `Secret/db`. */
  readonly names: readonly string[];
}

type NamedBy = readonly [kind: ResourceKind, name: string | undefined];

/**
 * Reads the uses: environment variables and volumes, plain, projected or of the Secrets Store CSI driver, of containers and init
 * containers. A volume that no container mounts is not used.
 */
export function referencesOf(template: PodTemplateSpec | undefined): References {
  const containers = template?.spec?.containers ?? [];
  const initContainers = template?.spec?.initContainers ?? [];
  const uses = new Map<string, { containers: Set<string>; containerIndex: number | undefined }>();
  const add = (resource: string, container: Container, index: number | undefined) => {
    const use = uses.get(resource);
    if (use === undefined)
      uses.set(resource, { containers: new Set([container.name]), containerIndex: index });
    else use.containers.add(container.name);
  };
  const first = containers.length > 0 ? 0 : undefined;
  // In upstream's order, since the first use decides which container has upstream's variable.
  for (const volume of template?.spec?.volumes ?? []) {
    const mounts = (container: Container) =>
      (container.volumeMounts ?? []).some(({ name }) => name === volume.name);
    for (const resource of named(resourcesOfVolume(volume))) {
      for (const [index, container] of containers.entries())
        if (mounts(container)) add(resource, container, index);
      for (const container of initContainers) if (mounts(container)) add(resource, container, first);
    }
  }
  for (const [index, container] of containers.entries())
    for (const resource of named(resourcesOfEnvironment(container))) add(resource, container, index);
  for (const container of initContainers)
    for (const resource of named(resourcesOfEnvironment(container))) add(resource, container, first);
  return {
    useOf(kind, name) {
      const use = uses.get(referenceName(kind, name));
      return use && { containers: [...use.containers], containerIndex: use.containerIndex };
    },
    names: [...uses.keys()],
  };
}

/** Such as `Secret/db`. */
export function referenceName(kind: ResourceKind, name: string): string {
  return `${kind}/${name}`;
}

function resourcesOfVolume({ secret, configMap, projected, csi }: Volume): readonly NamedBy[] {
  return [
    ["Secret", secret?.secretName],
    ["ConfigMap", configMap?.name],
    ...(projected?.sources ?? []).flatMap((source): NamedBy[] => [
      ["Secret", source.secret?.name],
      ["ConfigMap", source.configMap?.name],
    ]),
    ["SecretProviderClass", csi?.volumeAttributes?.secretProviderClass],
  ];
}

function resourcesOfEnvironment({ env, envFrom }: Container): readonly NamedBy[] {
  return [
    ...(env ?? []).flatMap(({ valueFrom }): NamedBy[] => [
      ["Secret", valueFrom?.secretKeyRef?.name],
      ["ConfigMap", valueFrom?.configMapKeyRef?.name],
    ]),
    ...(envFrom ?? []).flatMap(({ secretRef, configMapRef }): NamedBy[] => [
      ["Secret", secretRef?.name],
      ["ConfigMap", configMapRef?.name],
    ]),
  ];
}

function named(resources: readonly NamedBy[]): readonly string[] {
  return resources.flatMap(([kind, name]) =>
    name === undefined || name === "" ? [] : [referenceName(kind, name)],
  );
}
