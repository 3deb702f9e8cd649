import type { ObjectReference } from "@keelson/core/kinds/core/v1";
import type { Occurrence } from "./occurrence.ts";

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
