import type { KubeObject } from "@keelson/core";
import { ageSince, type KindColumn, nameColumn } from "./column.ts";

interface Regarded {
  readonly kind?: string;
  readonly name?: string;
  readonly fieldPath?: string;
}

interface Source {
  readonly component?: string;
  readonly host?: string;
}

/** An Event in either of its two forms: of the core group, and of `events.k8s.io`. */
interface EitherEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly involvedObject?: Regarded;
  readonly regarding?: Regarded;
  readonly source?: Source;
  readonly deprecatedSource?: Source;
  readonly reportingComponent?: string;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly firstTimestamp?: string | null;
  readonly deprecatedFirstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly count?: number;
  readonly deprecatedCount?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null } | null;
}

export const eventColumns: readonly KindColumn<EitherEvent>[] = [
  { name: "Last Seen", description: "Time since it happened last", cell: lastSeen },
  { name: "Type", description: "Normal or Warning", cell: ({ type }) => type ?? "" },
  { name: "Reason", description: "What happened, in one word", cell: ({ reason }) => reason ?? "" },
  { name: "Object", description: "What it is about", cell: target },
  {
    name: "Subobject",
    isWide: true,
    description: "Which part of the object",
    cell: ({ involvedObject, regarding }) => (involvedObject ?? regarding)?.fieldPath ?? "",
  },
  { name: "Source", isWide: true, description: "The component that reported it", cell: sourceText },
  {
    name: "Message",
    description: "What happened",
    cell: ({ message, note }) => (message ?? note ?? "").trim(),
  },
  { name: "First Seen", isWide: true, description: "Time since it happened first", cell: firstSeen },
  {
    name: "Count",
    isWide: true,
    description: "How often it happened",
    cell: ({ series, count, deprecatedCount }) =>
      series ? (series.count ?? 0) : count || deprecatedCount || 1,
  },
  { ...nameColumn, isWide: true },
];

function firstSeen(
  { firstTimestamp, deprecatedFirstTimestamp, eventTime }: EitherEvent,
  now: number,
): string {
  return ageSince(firstTimestamp ?? deprecatedFirstTimestamp ?? eventTime, now);
}

function lastSeen(event: EitherEvent, now: number): string {
  if (event.series) return ageSince(event.series.lastObservedTime, now);
  const last = event.lastTimestamp ?? event.deprecatedLastTimestamp;
  return last ? ageSince(last, now) : firstSeen(event, now);
}

function target({ involvedObject, regarding }: EitherEvent): string {
  const { kind = "", name } = involvedObject ?? regarding ?? {};
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();
}

function sourceText(event: EitherEvent): string {
  const source = event.source ?? event.deprecatedSource;
  const component = source?.component || event.reportingComponent || event.reportingController || "";
  const instance = source?.host || event.reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}
