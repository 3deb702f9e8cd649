import {
  keyOf,
  type ObjectMeta,
  type ObjectOfKind,
  ownerReferenceTo,
  type Stored,
  toError,
} from "@keelson/core";
import { Pod, type PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { dnsSubdomainProblems } from "../../resource/name-problems.ts";
import { type ControllerContext, controllerManager } from "../controller.ts";
import { ignoreNotFound, isNamespaceTerminating } from "../refusals.ts";

/** Creates and deletes the pods of a controller, and records an Event for each. */
export interface PodControl {
  create(owner: ObjectOfKind, pod: Pod): Promise<Stored<Pod>>;
  remove(owner: Stored, pod: Stored<Pod>): Promise<void>;
}

export function createPodControl(
  { objects, recordEvent }: Pick<ControllerContext, "objects" | "recordEvent">,
  component: string,
): PodControl {
  function recordPodEvent(owner: Stored, reason: string, message: string): void {
    const type = reason.startsWith("Failed") ? "Warning" : "Normal";
    recordEvent(owner, { component, type, reason, message });
  }

  return {
    async create({ object: owner }, pod) {
      try {
        const created = await objects.create(Pod, pod, { manager: controllerManager });
        recordPodEvent(owner, "SuccessfulCreate", `Created pod: ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (!isNamespaceTerminating(error))
          recordPodEvent(owner, "FailedCreate", `Error creating: ${toError(error).message}`);
        throw error;
      }
    },
    async remove(owner, pod) {
      try {
        const gone = await ignoreNotFound(
          objects.delete(Pod, keyOf(pod), { manager: controllerManager }).then(() => true),
        );
        if (gone === true) recordPodEvent(owner, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        recordPodEvent(owner, "FailedDelete", `Error deleting: ${toError(error).message}`);
        throw error;
      }
    },
  };
}

/** A pod as a template and its owner say, with a name to be generated. */
export function makePod(owner: ObjectOfKind, template: PodTemplateSpec | undefined): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const { namespace } = owner.object.metadata;
  const metadata: ObjectMeta = {
    generateName: podPrefix(owner.object.metadata.name),
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
  };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: template?.spec ?? { containers: [] } };
}

function podPrefix(name: string): string {
  return dnsSubdomainProblems(`${name}-a`).length === 0 ? `${name}-` : name;
}

/**
 * Does something several times, first once, then twice as often at once and so on, and stops after a batch in which
 * something failed, so that what is sure to fail is not tried a thousand times. Throws the first error of that batch.
 */
export async function slowStart(count: number, act: (index: number) => Promise<void>): Promise<void> {
  let begun = 0;
  for (let size = 1; begun < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - begun) }, (_, offset) => act(begun + offset));
    begun += batch.length;
    const outcomes = await Promise.allSettled(batch);
    const failure = outcomes.find((outcome) => outcome.status === "rejected");
    if (failure !== undefined) throw failure.reason;
  }
}
