import { formatKey } from "keelson";
import type { Container, Pod, Volume } from "keelson/kinds/core/v1";
import { copyNameOf, secretNameOf } from "../api/names.ts";
import type { SecretKey } from "../policy/policy.ts";
import { placeholderIn } from "./placeholder.ts";
import { mapContainers, withVolumes } from "./pod-containers.ts";

/** A volume with all keys of a Secret, and where it is mounted. */
export interface ValueMount {
  readonly volume: Volume;
  readonly path: string;
}

/** What of a pod gets values, and which. */
export interface ValueTargets {
  readonly podNamespace: string;
  /** Containers that get none. */
  readonly except: ReadonlySet<string>;
  /** The SharedSecrets that placeholders may stand for, as `namespace/name`. */
  readonly granted: ReadonlySet<string>;
  readonly mounts: readonly ValueMount[];
}

/** The mounts of SharedSecrets in a folder: `<namespace>/<name>` has a file for each key, which changes with the value. */
export function valueMountsOf(
  secrets: readonly SecretKey[],
  mountPath: string,
  podNamespace: string,
): readonly ValueMount[] {
  return secrets.map((secret, index) => ({
    volume: {
      name: `shared-secret-${index + 1}`,
      projected: { sources: [{ secret: { name: usableSecret(secret, podNamespace) } }] },
    },
    path: `${mountPath}/${formatKey(secret)}`,
  }));
}

/**
 * Gives a pod references to Secrets, never their values: variables whose values are placeholders refer to a key, and volumes
 * are mounted in all containers. What it has done before it does not do again.
 */
export function withValues(pod: Pod, { podNamespace, except, granted, mounts }: ValueTargets): Pod {
  const changed = mapContainers(pod, (container) =>
    except.has(container.name)
      ? container
      : withMounts(withReferences(container, granted, podNamespace), mounts),
  );
  return withVolumes(
    changed,
    mounts.map(({ volume }) => volume),
  );
}

/** The name of the Secret with the value in the namespace of the pod: pods cannot use those of other namespaces. */
export function usableSecret(secret: SecretKey, podNamespace: string): string {
  return secret.namespace === podNamespace ? secretNameOf(secret.name) : copyNameOf(secret);
}

function withReferences(container: Container, granted: ReadonlySet<string>, podNamespace: string): Container {
  if (container.env === undefined) return container;
  const env = container.env.map((variable) => {
    const placeholder = placeholderIn(variable, podNamespace);
    if (placeholder === undefined || !granted.has(formatKey(placeholder.secret))) return variable;
    const { secret, key } = placeholder;
    const secretKeyRef = { name: usableSecret(secret, podNamespace), key };
    return { name: variable.name, valueFrom: { secretKeyRef } };
  });
  return { ...container, env };
}

function withMounts(container: Container, mounts: readonly ValueMount[]): Container {
  const existing = container.volumeMounts ?? [];
  const missing = mounts
    .filter(({ volume }) => existing.every(({ name }) => name !== volume.name))
    .map(({ volume, path }) => ({ name: volume.name, mountPath: path, readOnly: true }));
  return missing.length === 0 ? container : { ...container, volumeMounts: [...existing, ...missing] };
}
