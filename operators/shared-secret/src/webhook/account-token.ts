import type { Container, Pod, Volume, VolumeMount } from "keelson/kinds/core/v1";
import { containersOf, mapContainers } from "./pod-containers.ts";

/** The volumes that the API server adds to pods for the token of their ServiceAccount begin with this. */
const serverPrefix = "kube-api-access-";

/** Where programs look for the token. */
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The volume with the token of a rotator. */
export const tokenVolume: Volume = {
  name: "shared-secret-token",
  projected: {
    sources: [
      // As long as those of the API server: the kubelet replaces it after four fifths of the time.
      { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
    ],
  },
};

/** How a rotator mounts it. */
export const tokenMount: VolumeMount = { name: tokenVolume.name, mountPath: tokenPath, readOnly: true };

/**
 * Removes the token that the API server has mounted in the containers: it would be one of the account that the pod gets, and
 * not of the one that it had. The API server adds no other one.
 */
export function withoutServerToken(pod: Pod): Pod {
  const changed = mapContainers(pod, withoutTokenMount);
  const { spec } = changed;
  if (spec === undefined) return changed;
  const { volumes = [], ...others } = spec;
  const kept = volumes.filter(({ name }) => !name.startsWith(serverPrefix) || isMounted(changed, name));
  const rest = kept.length === 0 ? others : { ...others, volumes: kept };
  return { ...changed, spec: { ...rest, automountServiceAccountToken: false } };
}

/** The names of other volumes by which containers would have the identity of the account that the pod gets. */
export function foreignIdentities(pod: Pod): readonly string[] {
  const { spec } = withoutServerToken(pod);
  const found = (spec?.volumes ?? []).filter(
    ({ name, projected }) =>
      name !== tokenVolume.name &&
      projected?.sources?.some(
        (source) => source.serviceAccountToken !== undefined || source.podCertificate !== undefined,
      ),
  );
  return found.map(({ name }) => name);
}

function withoutTokenMount(container: Container): Container {
  const { volumeMounts, ...rest } = container;
  const kept = volumeMounts?.filter(
    ({ name, mountPath }) => !name.startsWith(serverPrefix) || mountPath !== tokenPath,
  );
  return kept === undefined || kept.length === 0 ? rest : { ...rest, volumeMounts: kept };
}

function isMounted(pod: Pod, volume: string): boolean {
  return containersOf(pod).some(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volume));
}
