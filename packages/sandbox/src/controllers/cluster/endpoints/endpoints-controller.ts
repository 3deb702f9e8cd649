import { deepEqual, keyOf } from "@keelson/core";
import { Endpoints, Service } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { controllerManager } from "../../manager-name.ts";
import { isNamespaceGoing } from "../namespace-sweep.ts";
import { headlessLabel, isHeadless, selectedPods, withTriggerTime } from "./endpoint-pods.ts";
import { makeSubsets } from "./make-subsets.ts";
import { createTriggerTimes, type TriggerTimes } from "./trigger-times.ts";
import { watchServices } from "./watch-services.ts";

const managedByLabel = "endpoints.kubernetes.io/managed-by";
const managedBy = "endpoint-controller";

/** Keeps the Endpoints of Services that select pods. */
export const startEndpointsController: StartController = (context) => {
  const times = createTriggerTimes();
  const loop = startKeyLoop({
    name: managedBy,
    context,
    reconcile: (key) => reconcile(context, times, key),
  });
  const stopServices = watchServices(context, loop.enqueue);
  const stopEndpoints = context.watch(Endpoints, ({ object }) => {
    if (object.metadata.labels?.[managedByLabel] === managedBy) loop.enqueue(loopKey(object));
  });
  return async () => {
    stopServices();
    stopEndpoints();
    await loop.stop();
  };
};

async function reconcile({ objects }: ControllerContext, times: TriggerTimes, key: string): Promise<void> {
  const place = parseLoopKey(key);
  const service = objects.get(Service, place);
  const current = objects.get(Endpoints, place);
  if (service === undefined) {
    times.forget(key);
    if (current?.metadata.labels?.[managedByLabel] === managedBy) {
      await objects.delete(Endpoints, keyOf(current), { manager: controllerManager });
    }
    return;
  }
  const pods = service.spec?.type === "ExternalName" ? undefined : selectedPods(objects, service);
  if (pods === undefined || service.metadata.deletionTimestamp !== undefined) return;
  const subsets = makeSubsets(service, pods);
  const time = times.since(key, service, pods);
  const labels = labelsFor(service);
  if (
    current !== undefined &&
    deepEqual(current.subsets ?? [], subsets) &&
    deepEqual(current.metadata.labels, labels)
  )
    return;
  const annotations = withTriggerTime(current?.metadata.annotations, time);
  const metadata = { ...(current?.metadata ?? place), labels, annotations };
  const { subsets: _, ...rest } = current ?? { apiVersion: "v1" as const, kind: "Endpoints" as const };
  const next: Endpoints = { ...rest, metadata, ...(subsets.length === 0 ? {} : { subsets }) };
  try {
    if (current === undefined) await objects.create(Endpoints, next, { manager: controllerManager });
    else await objects.update(Endpoints, next, { manager: controllerManager });
  } catch (error) {
    if (!isNamespaceGoing(error)) throw error;
  }
}

function labelsFor(service: Service): Readonly<Record<string, string>> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(isHeadless(service) ? { [headlessLabel]: "" } : {}), [managedByLabel]: managedBy };
}
