import type { Draft, Random } from "@keelson/core";
import type { Container, PodSpec, Volume } from "@keelson/core/kinds/core/v1";
import { generatedName } from "../resource/generated-name.ts";

const volumePrefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Mounts a volume with a token, the cluster's CA certificate and the namespace in every container without such a mount. */
export function mountToken(spec: Partial<Draft<PodSpec>>, random: Random): void {
  const existing = (spec.volumes ?? []).find(({ name }) => name.startsWith(volumePrefix));
  const name = existing?.name ?? generatedName(volumePrefix, random);
  let isNeeded = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    if (mount(container, name)) isNeeded = true;
  }
  if (existing === undefined && isNeeded) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function mount(container: Draft<Container>, name: string): boolean {
  const mounts = container.volumeMounts ?? [];
  if (mounts.some((one) => one.mountPath === mountPath)) return false;
  container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
  return true;
}

function tokenVolume(name: string): Draft<Volume> {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}
