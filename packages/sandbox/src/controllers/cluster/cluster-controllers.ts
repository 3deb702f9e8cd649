import type { StartController } from "../controller.ts";
import { startRequestCleaner } from "./certificates/signing-controller.ts";
import { startDisruptionController } from "./disruption/disruption-controller.ts";
import { startEndpointSliceController } from "./endpoints/endpoint-slice-controller.ts";
import { startEndpointsController } from "./endpoints/endpoints-controller.ts";
import { startMirrorController } from "./endpoints/mirror-controller.ts";
import { startEventExpiry } from "./event-expiry.ts";
import { startGarbageCollector } from "./gc/garbage-collector.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { startPodGarbageCollector } from "./node/pod-garbage-collector.ts";
import { startTaintEviction } from "./node/taint-eviction.ts";
import { startResourceQuotaController } from "./resource-quota-controller.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { startDefaultAccounts } from "./service-accounts.ts";
import { startStorageProtection } from "./volume/storage-protection.ts";
import { startVolumeBinder } from "./volume/volume-binder.ts";

export interface NamedController {
  readonly name: string;
  readonly start: StartController;
}

/**
 * The controllers of the cluster itself. Those that need options are not in this list:
 * `rootCertificates`, `tokenSecrets`, `nodeApprover`, `certificateSigner` and `nodeLifecycle`.
 */
export const clusterControllers: readonly NamedController[] = [
  { name: "garbage-collector-controller", start: startGarbageCollector },
  { name: "namespace-controller", start: namespaceController() },
  { name: "serviceaccount-controller", start: startDefaultAccounts },
  { name: "endpoints-controller", start: startEndpointsController },
  { name: "endpointslice-controller", start: startEndpointSliceController },
  { name: "endpointslice-mirroring-controller", start: startMirrorController },
  { name: "disruption-controller", start: startDisruptionController },
  { name: "resourcequota-controller", start: startResourceQuotaController },
  { name: "taint-eviction-controller", start: startTaintEviction },
  { name: "pod-garbage-collector-controller", start: startPodGarbageCollector },
  { name: "persistentvolume-binder-controller", start: startVolumeBinder },
  { name: "storage-protection-controller", start: startStorageProtection },
  { name: "certificatesigningrequest-cleaner-controller", start: startRequestCleaner },
  { name: "event-expiry", start: startEventExpiry },
  { name: "default-scheduler", start: startScheduler },
];
