import { cutText, type KubeObject } from "@keelson/core";
import type { ObjectReference } from "@keelson/core/kinds/core/v1";
import type { EventToRecord } from "../../controller/event-recorder.ts";

/** Something that happened to an object, once. */
export interface Occurrence {
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly type: EventToRecord["type"];
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** The API server limits the length in bytes. */
const longestNote = 1024;
const longestWord = 128;

/**
 * The occurrence that an Event records; undefined if the object has no kind or name. Texts are cut to the limits of the
 * server. The message is sent as it is, and every user who may read Events can read it: it must not contain a secret.
 */
export function occurrenceOf(object: KubeObject, event: EventToRecord, atMs: number): Occurrence | undefined {
  const regarding = referenceTo(object);
  if (regarding === undefined) return undefined;
  const { type, reason, action = reason, message, related } = event;
  const relatedTo = related === undefined ? undefined : referenceTo(related);
  return {
    regarding,
    ...(relatedTo !== undefined && { related: relatedTo }),
    type,
    reason: cutText(reason, longestWord),
    action: cutText(action, longestWord),
    note: cutText(message, longestNote),
    atMs,
  };
}

/** The occurrence with another note. */
export function withNote(occurrence: Occurrence, note: string): Occurrence {
  return { ...occurrence, note: cutText(note, longestNote) };
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference | undefined {
  const { name, namespace, uid, resourceVersion } = metadata;
  if (!kind || !name) return undefined;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/*
 * The keys by which occurrences are compared [EVR2]. They contain neither the source, which is the same for all
 * occurrences of a recorder, nor the resource version: a repetition counts even if the object has changed meanwhile.
 */

/** The key of equal occurrences, the note included: they count as repetitions. */
export function identityOf(occurrence: Occurrence): string {
  return JSON.stringify([similarityOf(occurrence), occurrence.note]);
}

/** The key of similar occurrences, which differ only in the note: too many of them are combined. */
export function similarityOf({ regarding, related, type, reason, action }: Occurrence): string {
  return JSON.stringify([...partsOf(regarding), type, reason, action, ...(related ? partsOf(related) : [])]);
}

/** The key of the spam filter: too many occurrences of a type about one object are not sent. */
export function spamKeyOf({ regarding, type }: Occurrence): string {
  return JSON.stringify([...partsOf(regarding), type]);
}

function partsOf({ apiVersion, kind, namespace, name, uid, fieldPath }: ObjectReference): readonly unknown[] {
  return [apiVersion, kind, namespace, name, uid, fieldPath];
}
