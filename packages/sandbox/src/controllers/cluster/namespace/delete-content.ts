import { type GenericObject, genericResource, type Resource } from "@keelson/core";
import { Pod } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import type { ControllerContext } from "../../controller.ts";
import { controllerManager } from "../../manager-name.ts";
import { resourceOfCollection } from "../any-resource.ts";
import type { RemainingContent } from "./namespace-conditions.ts";

export interface ContentDeletion extends RemainingContent {
  /** Whether anything is left, also what conditions do not tell of. */
  readonly isDone: boolean;
}

/** Deletes everything in a namespace: pods first, and only when they are gone the rest. */
export async function deleteContent(
  { objects, registry, store, clock }: ControllerContext,
  namespace: string,
): Promise<ContentDeletion> {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];

  async function deleteAll(resource: Resource<GenericObject>, collection: string): Promise<void> {
    const failure = await deleteEach(resource, collection);
    const left = store.list(collection, { namespace });
    if (left.length > 0) resources.set(`${resource.plural}.${resource.group}`, left.length);
    const held = left.flatMap(({ metadata }) => metadata.finalizers ?? []);
    for (const finalizer of held) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    const isEnding = left.every(({ metadata }) => Date.parse(metadata.deletionTimestamp ?? "") > clock.now());
    if (failure !== undefined) failures.push(failure);
    else if (left.length > 0 && held.length === 0 && !isEnding) {
      const gvr = `${resource.group}/${resource.version}, Resource=${resource.plural}`;
      failures.push(`unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}`);
    }
  }

  /** Gives the message of the first refusal. */
  async function deleteEach(
    resource: Resource<GenericObject>,
    collection: string,
  ): Promise<string | undefined> {
    let failure: string | undefined;
    for (const { metadata } of store.list(collection, { namespace })) {
      if (metadata.deletionTimestamp !== undefined) continue;
      const { name = "" } = metadata;
      try {
        await objects.delete(
          resource,
          { namespace, name },
          { manager: controllerManager, propagationPolicy: "Background" },
        );
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status.code !== 404) failure ??= error.message;
      }
    }
    return failure;
  }

  await deleteAll(genericResource(Pod), "pods");
  if (resources.size > 0) {
    // So says the real server: as long as pods are left, nothing is told of what remains.
    return { resources: new Map(), finalizers: new Map(), failures, isDone: false };
  }
  for (const collection of deletableCollections()) {
    const resource = resourceOfCollection(registry, collection);
    if (resource !== undefined) await deleteAll(resource, collection);
  }
  return { resources, finalizers, failures, isDone: resources.size === 0 };

  function deletableCollections(): ReadonlySet<string> {
    const deletable = registry
      .all()
      .filter(({ scope, verbs }) => scope === "Namespaced" && verbs.includes("delete"));
    return new Set(deletable.map(({ collection }) => collection));
  }
}
