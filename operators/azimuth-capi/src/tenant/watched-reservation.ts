import { deepEqual, type Resource } from "keelson";
import { projected, type Snapshot } from "keelson/cache";
import {
  helmNamespaceAnnotation,
  helmReleaseAnnotation,
  serviceDescriptionAnnotation,
  serviceIconAnnotation,
  serviceLabelAnnotation,
} from "../api/names.ts";
import type { Reservation } from "../neighbours/zenith.ts";

const annotationNames = [
  helmNamespaceAnnotation,
  helmReleaseAnnotation,
  serviceDescriptionAnnotation,
  serviceIconAnnotation,
  serviceLabelAnnotation,
] as const;

const statusFields = ["phase", "subdomain", "fqdn"] as const;

/** How many Reservations of a tenant cluster are taken, and how long each of their texts may be. */
export const mostReservations = 1_000;
const longestText = 4_096;

/**
 * Reservations reduced to what services are made of. Whatever is no text, or a very long one, is dropped: those who
 * administer a tenant cluster may replace the schema of the kind, and must not fill the memory of this process.
 */
export function watchedReservation(whole: Resource<Reservation>): Resource<Reservation> {
  return projected(whole, {
    name: "service",
    project: ({ metadata, status }) => ({
      metadata: { labels: {}, annotations: textsIn(metadata.annotations, annotationNames) },
      status: textsIn(status, statusFields),
    }),
  });
}

function textsIn<const Name extends string>(
  value: Readonly<Partial<Record<Name, unknown>>> | undefined,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = value?.[name];
    if (typeof text === "string" && text.length <= longestText) texts[name] = text;
  }
  return texts;
}

/** Whether nothing has changed but the version: operators write Reservations more often than they change them. */
export function hasSameContent(
  before: Snapshot<Reservation> | undefined,
  now: Snapshot<Reservation>,
): boolean {
  return before !== undefined && deepEqual(contentOf(before), contentOf(now));
}

/** Undefined if the object cannot be read. */
function contentOf(snapshot: Snapshot<Reservation>): object | undefined {
  if (snapshot.problem !== undefined) return undefined;
  const { metadata, status } = snapshot.object;
  return { annotations: metadata.annotations, status };
}
