import { type KubeObject, keyOf, type ObjectMeta, type ObjectOfKind, ownerReferenceTo } from "@keelson/core";
import { Pod, type PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { dnsSubdomainProblems } from "../../resource/name-problems.ts";
import { ApiError } from "../../status/api-error.ts";
import type { ControllerContext } from "../controller.ts";
import { controllerManager } from "../manager-name.ts";
import { unlessGone } from "./claim.ts";

/** How a controller makes and removes the pods of its objects, and tells of it in Events. */
export interface PodControl {
  create(owner: ObjectOfKind, pod: Pod): Promise<Pod>;
  remove(owner: KubeObject, pod: Pod): Promise<void>;
}

export function createPodControl(
  { objects, recordEvent }: Pick<ControllerContext, "objects" | "recordEvent">,
  component: string,
): PodControl {
  function tell(owner: KubeObject, reason: string, message: string): void {
    const type = reason.startsWith("Failed") ? "Warning" : "Normal";
    recordEvent(owner, { component, type, reason, message });
  }

  return {
    async create({ object: owner }, pod) {
      try {
        const created = await objects.create(Pod, pod, { manager: controllerManager });
        tell(owner, "SuccessfulCreate", `Created pod: ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (!isNamespaceTerminating(error)) tell(owner, "FailedCreate", `Error creating: ${textOf(error)}`);
        throw error;
      }
    },
    async remove(owner, pod) {
      try {
        const gone = await unlessGone(
          objects.delete(Pod, keyOf(pod), { manager: controllerManager }).then(() => true),
        );
        if (gone === true) tell(owner, "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        tell(owner, "FailedDelete", `Error deleting: ${textOf(error)}`);
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
    generateName: podPrefix(owner.object.metadata.name ?? ""),
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

/** The namespace goes, so whatever is created in it is refused; that is no fault. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true
  );
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
