import type { Clock, Random } from "@keelson/core";
import type { AdmissionChain } from "../../admission/admission.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { StoredObjects } from "../../resource/stored-objects.ts";
import type { WriteContext } from "../../resource/strategy.ts";
import type { Store } from "../../store/store.ts";

/** What all steps of a write work with. */
export interface WriterDependencies {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly read: StoredObjects;
  /** Called for each write, because webhook configurations change. */
  readonly admission: () => AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
}

export function writeContext(
  { clock, read }: WriterDependencies,
  subresource: string | undefined,
): WriteContext {
  return { subresource, now: clock.now(), read };
}
