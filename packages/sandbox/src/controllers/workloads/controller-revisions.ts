import { deepEqual, isRecord, keyOf, type ObjectOfKind, ownerReferenceTo, type Stored } from "@keelson/core";
import { ControllerRevision } from "@keelson/core/kinds/apps/v1";
import type { PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { sortedRecord } from "../../server/write/sorted-keys.ts";
import { ApiError } from "../../status/api-error.ts";
import { type ControllerContext, controllerManager } from "../controller.ts";
import { ignoreNotFound } from "../refusals.ts";
import { byCreation } from "./pod-state.ts";
import { templateHash } from "./template-hash.ts";

export interface RevisionRequest {
  readonly owner: ObjectOfKind;
  readonly template: PodTemplateSpec;
  /** The label of the revision that holds the hash of its template. */
  readonly hashLabel: string;
  /** The existing revisions, in any order. */
  readonly revisions: readonly Stored<ControllerRevision>[];
  readonly collisionCount: number;
}

export interface CurrentRevision {
  readonly revision: Stored<ControllerRevision>;
  readonly collisionCount: number;
}

/** Lowest number first. */
function inOrder(revisions: readonly Stored<ControllerRevision>[]): readonly Stored<ControllerRevision>[] {
  return revisions.toSorted((a, b) => Number(a.revision) - Number(b.revision) || byCreation(a, b));
}

/** The revision that holds the template, as the one with the highest number. Creates it if there is none. */
export async function ensureRevision(
  context: Pick<ControllerContext, "objects">,
  request: RevisionRequest,
): Promise<CurrentRevision> {
  const { template, collisionCount } = request;
  const revisions = inOrder(request.revisions);
  const next = Number(revisions.at(-1)?.revision ?? 0) + 1;
  const equal = revisions.findLast(({ data }) => deepEqual(data, dataOf(template)));
  if (equal === undefined) return await createRevision(context, request, next);
  if (Number(equal.revision) === next - 1) return { revision: equal, collisionCount };
  const renumbered = { ...equal, revision: next };
  const revision = await context.objects.update(ControllerRevision, renumbered, {
    manager: controllerManager,
  });
  return { revision, collisionCount };
}

async function createRevision(
  { objects }: Pick<ControllerContext, "objects">,
  { owner, template, hashLabel, collisionCount }: RevisionRequest,
  revision: number,
): Promise<CurrentRevision> {
  const { name, namespace } = keyOf(owner.object);
  const { annotations } = owner.object.metadata;
  for (let collisions = collisionCount; ; collisions++) {
    const hash = templateHash(template, collisions);
    const wanted: ControllerRevision = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: `${name.slice(0, 223)}-${hash}`,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...template.metadata?.labels, [hashLabel]: hash },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
      },
      data: dataOf(template),
      revision,
    };
    try {
      const created = await objects.create(ControllerRevision, wanted, { manager: controllerManager });
      return { revision: created, collisionCount: collisions };
    } catch (error) {
      // Another template with the same hash has the name.
      if (!(error instanceof ApiError && error.status.reason === "AlreadyExists")) throw error;
    }
  }
}

/** With sorted keys: Go's controllers compare revisions by their bytes. */
function dataOf(template: PodTemplateSpec): Readonly<Record<string, unknown>> {
  return sortedRecord({ spec: { template: { ...template, $patch: "replace" } } });
}

/** The template that a revision holds. Only controllers write revisions, and these write what `dataOf` makes. */
export function templateOf({ data }: Stored<ControllerRevision>): PodTemplateSpec {
  const spec = isRecord(data) ? data.spec : undefined;
  const held = isRecord(spec) && isRecord(spec.template) ? spec.template : {};
  const { $patch: _patch, ...template } = held;
  return template as PodTemplateSpec;
}

/** Deletes the oldest revisions that nothing uses, until no more than the limit of such are left. */
export async function truncateHistory(
  { objects }: Pick<ControllerContext, "objects">,
  revisions: readonly Stored<ControllerRevision>[],
  isUsed: (revision: Stored<ControllerRevision>) => boolean,
  limit: number,
): Promise<void> {
  const unused = inOrder(revisions).filter((revision) => !isUsed(revision));
  for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) {
    await ignoreNotFound(objects.delete(ControllerRevision, keyOf(revision), { manager: controllerManager }));
  }
}
