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

/** The API server counts bytes and calls them characters. */
const longestNote = 1024;
const longestWord = 128;

/**
 * What is to be told of an object; undefined if the object does not say its kind or name. Texts are cut to what the
 * server takes. The message is sent as it was written, to be read by all who may read events: it must hold no secret.
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

/** The same with another note. */
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
 * What makes events alike [EVR2]. The source is the same for all events of a recorder, so it is in none of the keys; and
 * neither is the resource version: what happens again to an object is the same though the object has changed.
 */

/** Everything is the same, the note included: further ones count as repetitions. */
export function identityOf(occurrence: Occurrence): string {
  return JSON.stringify([similarityOf(occurrence), occurrence.note]);
}

/** Only the note differs: too many of them are combined. */
export function similarityOf({ regarding, related, type, reason, action }: Occurrence): string {
  return JSON.stringify([...wordsOf(regarding), type, reason, action, ...(related ? wordsOf(related) : [])]);
}

/** About the same object: too many of them are not sent. */
export function spamKeyOf({ regarding, type }: Occurrence): string {
  return JSON.stringify([...wordsOf(regarding), type]);
}

function wordsOf({ apiVersion, kind, namespace, name, uid, fieldPath }: ObjectReference): readonly unknown[] {
  return [apiVersion, kind, namespace, name, uid, fieldPath];
}
