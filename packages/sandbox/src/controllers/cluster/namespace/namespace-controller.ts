import {
  deepEqual,
  formatTime,
  type GenericObject,
  genericResource,
  keyOf,
  type Resource,
} from "@keelson/core";
import { Namespace, Pod } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../../status/api-error.ts";
import {
  type ControllerContext,
  controllerManager,
  resourceOfCollection,
  type StartController,
} from "../../controller.ts";
import { startKeyLoop } from "../../key-loop.ts";
import { isBeingDeleted } from "../../workloads/pod-state.ts";
import { namespaceConditions, type RemainingContent } from "./namespace-conditions.ts";

export interface NamespaceControllerOptions {
  /**
   * How long a namespace that is being deleted keeps its contents. Default: 5 seconds, as in clusters, where other
   * servers have to learn of the deletion first.
   */
  readonly delayMs?: number;
}

const finalizer = "kubernetes";
/** A deletion in the namespace triggers the next reconcile; this interval covers the rest. */
const recheckMs = 8_000;

/** Empties namespaces that are being deleted, and lets them go when they are empty. */
export function namespaceController({ delayMs = 5_000 }: NamespaceControllerOptions = {}): StartController {
  return (context) => {
    const ending = new Map<string, number>();
    const loop = startKeyLoop({
      name: "namespace-controller",
      context,
      reconcile: async (name) => {
        const dueMs = ending.get(name);
        if (dueMs === undefined) return;
        const waitMs = dueMs - context.clock.monotonicNow();
        if (waitMs > 0) loop.enqueueAfter(name, waitMs);
        else if (!(await finish(context, name))) loop.enqueueAfter(name, recheckMs);
      },
    });
    const stopNamespaces = context.watch(Namespace, ({ type, object }) => {
      const { name, deletionTimestamp } = object.metadata;
      if (type === "DELETED") ending.delete(name);
      else if (deletionTimestamp !== undefined && !ending.has(name)) {
        ending.set(name, context.clock.monotonicNow() + delayMs);
        loop.enqueue(name);
      }
    });
    const stopContents = context.watchAll(({ type, object }) => {
      const { namespace } = object.metadata;
      if (type === "DELETED" && namespace !== undefined && ending.has(namespace)) loop.enqueue(namespace);
    });
    return async () => {
      stopNamespaces();
      stopContents();
      await loop.stop();
    };
  };
}

/** Deletes the contents once. Returns whether the deletion of the namespace is complete. */
async function finish(context: ControllerContext, name: string): Promise<boolean> {
  const { objects } = context;
  const namespace = objects.get(Namespace, { name });
  if (namespace?.metadata.deletionTimestamp === undefined) return true;
  if ((namespace.spec?.finalizers ?? []).length === 0) return true;
  const content = await deleteContent(context, name);
  const updated = await writeConditions(context, name, content);
  if (!content.isDone || content.failures.length > 0) return false;
  if (updated === undefined) return true;
  const finalizers = (updated.spec?.finalizers ?? []).filter((one) => one !== finalizer);
  await objects.update(
    Namespace,
    { ...updated, spec: { ...updated.spec, finalizers } },
    { manager: controllerManager, subresource: "finalize" },
  );
  return true;
}

async function writeConditions(
  { objects, clock }: ControllerContext,
  name: string,
  content: RemainingContent,
): Promise<Namespace | undefined> {
  const namespace = objects.get(Namespace, { name });
  if (namespace === undefined) return undefined;
  const before = namespace.status?.conditions ?? [];
  const conditions = namespaceConditions(before, content, formatTime(clock.now()));
  if (deepEqual(conditions, before)) return namespace;
  return await objects.update(
    Namespace,
    { ...namespace, status: { ...namespace.status, conditions } },
    { manager: controllerManager, subresource: "status" },
  );
}

interface ContentDeletion extends RemainingContent {
  /** Whether the namespace is empty, also of objects that the conditions do not count. */
  readonly isDone: boolean;
}

/** Deletes all objects in a namespace: pods first, and the rest once no pod exists. */
async function deleteContent(
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
    for (const object of store.list(collection, { namespace })) {
      if (isBeingDeleted(object)) continue;
      try {
        await objects.delete(resource, keyOf(object), {
          manager: controllerManager,
          propagationPolicy: "Background",
        });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status.code !== 404) failure ??= error.message;
      }
    }
    return failure;
  }

  await deleteAll(genericResource(Pod), "pods");
  if (resources.size > 0) {
    // As on the real server, the conditions do not count what remains while pods exist.
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
