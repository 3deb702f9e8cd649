import { deepEqual, formatTime } from "@keelson/core";
import { Namespace } from "@keelson/core/kinds/core/v1";
import type { ControllerContext, StartController } from "../../controller.ts";
import { startKeyLoop } from "../../key-loop.ts";
import { controllerManager } from "../../manager-name.ts";
import { deleteContent } from "./delete-content.ts";
import { namespaceConditions, type RemainingContent } from "./namespace-conditions.ts";

export interface NamespaceControllerOptions {
  /**
   * How long a namespace that is being deleted keeps its contents. Default: 5 seconds, as in clusters, where other
   * servers have to learn of the deletion first.
   */
  readonly delayMs?: number;
}

const finalizer = "kubernetes";
/** Contents tell when they go; this is for those that do not. */
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
      const { name = "", deletionTimestamp } = object.metadata;
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

/** One round. Gives whether there is nothing more to do. */
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
