import type { Clock, Random } from "@keelson/core";
import type { AdmissionChain } from "../../admission/admission.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import type { StoredObjects } from "../../resource/stored-objects.ts";
import { storedObjects } from "../../resource/stored-objects.ts";
import type { WriteContext } from "../../resource/strategy.ts";
import type { Store } from "../../store/store.ts";

export interface WriterDependencies {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  /** Asked for each write: webhooks and policies come and go. */
  readonly admission: () => AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
}

/** What all steps of a write share. */
export interface WriterTools extends WriterDependencies {
  readonly read: StoredObjects;
}

export function withReader(dependencies: WriterDependencies): WriterTools {
  return { ...dependencies, read: storedObjects(dependencies.store, dependencies.registry) };
}

export function writeContext({ clock, read }: WriterTools, subresource: string | undefined): WriteContext {
  return { subresource, now: clock.now(), read };
}
