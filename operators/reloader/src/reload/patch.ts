import type { ObjectMeta } from "keelson";
import { diffJson, type JsonPatchOperation, pointer } from "keelson/low-level";
import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ReloadRecordStatus } from "../api/reload-record.ts";
import type { Workload } from "../workload/workload.ts";
import { workloadKinds } from "../workload/workload-kinds.ts";
import type { ReloadRequest } from "./reload-request.ts";
import { reloadedTemplate } from "./reloaded-template.ts";

/**
 * The JSON patch that reloads a workload by its pod template, for all changes together; undefined if it has no template, or
 * if the template would not change. It changes what a reload writes and nothing else, and the server refuses it as
 * invalid (422) if the spec has changed since the workload was read.
 */
export function templatePatch(
  request: ReloadRequest,
  keys: AnnotationKeys,
): readonly JsonPatchOperation[] | undefined {
  const { kind, template, metadata } = request.workload;
  if (template === undefined || request.strategy === "restart") return undefined;
  const changes = diffJson(template, reloadedTemplate(template, request, keys), {
    path: workloadKinds[kind].templatePath,
  });
  return changes.length === 0 ? undefined : [...unchangedSince(metadata), ...changes];
}

/**
 * Containers and variables are addressed by their positions, and a missing list is added as a whole, so the spec must be the one
 * that was read. The generation counts its changes; those of the status do not count.
 */
function unchangedSince(metadata: ObjectMeta): readonly JsonPatchOperation[] {
  const { uid, generation, resourceVersion } = metadata;
  return [
    { op: "test", path: pointer("metadata", "uid"), value: uid },
    generation === undefined
      ? { op: "test", path: pointer("metadata", "resourceVersion"), value: resourceVersion }
      : { op: "test", path: pointer("metadata", "generation"), value: generation },
  ];
}

/** A reload as a workload shows it. */
export interface ShownReload {
  readonly time: string;
  readonly hash: string;
}

/**
 * The reload that a workload shows and its record does not: the operator ended between the two writes. Undefined if there is
 * none. The pods were started for `hash`: if that is the hash of the changes now, the reload is done and only to be
 * recorded, with this time. Otherwise the content has changed again since, also if it is what the record has.
 */
export function unrecordedReload(
  { kind, metadata, template }: Pick<Workload, "kind" | "metadata" | "template">,
  { adoptedAt, lastReload }: Pick<ReloadRecordStatus, "adoptedAt" | "lastReload">,
  keys: Pick<AnnotationKeys, "lastReload" | "resourceHash">,
): ShownReload | undefined {
  // The template of a Job never changes: it shows the reload that created the Job, which came before its record.
  if (adoptedAt === undefined || kind === "Job") return undefined;
  const recordedMs = Math.max(Date.parse(adoptedAt), Date.parse(lastReload?.time ?? adoptedAt));
  // A Rollout that is restarted keeps its template and shows the restart on itself.
  const places = kind === "Rollout" ? [template?.metadata, metadata] : [template?.metadata];
  return places
    .flatMap((place) => shownReload(place, keys) ?? [])
    .filter(({ time }) => Date.parse(time) > recordedMs)
    .sort((one, other) => Date.parse(other.time) - Date.parse(one.time))[0];
}

function shownReload(
  metadata: ObjectMeta | undefined,
  keys: Pick<AnnotationKeys, "lastReload" | "resourceHash">,
): ShownReload | undefined {
  const time = metadata?.annotations?.[keys.lastReload];
  const hash = metadata?.annotations?.[keys.resourceHash];
  return time === undefined || hash === undefined ? undefined : { time, hash };
}
