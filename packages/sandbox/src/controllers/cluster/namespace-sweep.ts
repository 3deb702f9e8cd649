import { type KubeObject, keyOf, type Resource } from "@keelson/core";
import { Namespace } from "@keelson/core/kinds/core/v1";
import { ApiError } from "../../status/api-error.ts";
import type { ControllerContext, StartController } from "../controller.ts";
import { startKeyLoop } from "../key-loop.ts";

export interface PerNamespace<T extends KubeObject> {
  /** Errors are reported under it. */
  readonly controller: string;
  readonly resource: Resource<T>;
  readonly name: string;
  /** Makes the object in a namespace what it is to be. */
  ensure(context: ControllerContext, namespace: string, existing: T | undefined): Promise<void>;
}

/** Sees to it that every namespace has an object of some name, as long as the namespace is not being deleted. */
export function ensuredPerNamespace<T extends KubeObject>(wanted: PerNamespace<T>): StartController {
  const { controller, resource, name, ensure } = wanted;
  return (context) => {
    const loop = startKeyLoop({
      name: controller,
      context,
      async reconcile(namespace) {
        const found = context.objects.get(Namespace, { name: namespace });
        if (found === undefined || found.status?.phase === "Terminating") return;
        try {
          await ensure(context, namespace, context.objects.get(resource, { namespace, name }));
        } catch (error) {
          if (!isNamespaceGoing(error)) throw error;
        }
      },
    });
    const stops = [
      context.watch(Namespace, ({ type, object }) => {
        if (type !== "DELETED") loop.enqueue(object.metadata.name ?? "");
      }),
      context.watch(resource, ({ type, object }) => {
        if (object.metadata.name === name && type !== "ADDED") loop.enqueue(keyOf(object).namespace ?? "");
      }),
    ];
    return async () => {
      for (const stop of stops) stop();
      await loop.stop();
    };
  };
}

/** What is created in a namespace that goes is refused; that is no fault. */
export function isNamespaceGoing(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true
  );
}
