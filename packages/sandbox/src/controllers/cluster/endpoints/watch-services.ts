import { deepEqual, matchesLabels } from "@keelson/core";
import { Pod, Service } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, ObjectChange } from "../../controller.ts";
import { loopKey } from "../../key-loop.ts";

/** Calls back with the key of each Service whose endpoints may have changed. */
export function watchServices(
  { objects, watch }: Pick<ControllerContext, "objects" | "watch">,
  enqueue: (key: string) => void,
): () => void {
  function enqueueServicesOf({ metadata }: Pod): void {
    for (const service of objects.list(Service, metadata.namespace)) {
      const matchLabels = service.spec?.selector;
      if (matchLabels !== undefined && matchesLabels({ matchLabels }, metadata.labels))
        enqueue(loopKey(service));
    }
  }
  const stops = [
    watch(Service, ({ object }) => enqueue(loopKey(object))),
    watch(Pod, (change) => {
      if (!concernsEndpoints(change)) return;
      enqueueServicesOf(change.object);
      if (change.previous !== undefined) enqueueServicesOf(change.previous);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Pods change often; few changes move endpoints. */
function concernsEndpoints({ type, object, previous }: ObjectChange<Pod>): boolean {
  if (type !== "MODIFIED" || previous === undefined) return true;
  return !deepEqual(offeredBy(object), offeredBy(previous));
}

function offeredBy({ metadata, spec, status }: Pod): object {
  return {
    labels: metadata.labels,
    deleted: metadata.deletionTimestamp !== undefined,
    node: spec?.nodeName,
    phase: status?.phase,
    addresses: status?.podIPs,
    isReady: status?.conditions?.find(({ type }) => type === "Ready")?.status,
  };
}
