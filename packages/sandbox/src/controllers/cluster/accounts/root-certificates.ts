import { deepEqual } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import type { StartController } from "../../controller.ts";
import { controllerManager } from "../../manager-name.ts";
import { ensuredPerNamespace } from "../namespace-sweep.ts";

const name = "kube-root-ca.crt";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Gives every namespace a ConfigMap with the certificates by which pods know the API server. */
export function rootCertificates(certificates: string): StartController {
  const data = { "ca.crt": certificates };
  return ensuredPerNamespace({
    controller: "root-ca-certificate-publisher-controller",
    resource: ConfigMap,
    name,
    async ensure({ objects }, namespace, existing) {
      const annotations = { "kubernetes.io/description": description };
      if (existing === undefined) {
        const metadata = { name, namespace, annotations };
        await objects.create(
          ConfigMap,
          { apiVersion: "v1", kind: "ConfigMap", metadata, data },
          { manager: controllerManager },
        );
        return;
      }
      const { metadata } = existing;
      const isDescribed = metadata.annotations?.["kubernetes.io/description"] !== undefined;
      if (deepEqual(existing.data, data) && isDescribed) return;
      const merged = { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
      await objects.update(
        ConfigMap,
        { ...existing, metadata: merged, data },
        { manager: controllerManager },
      );
    },
  });
}
