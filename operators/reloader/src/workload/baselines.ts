import type { Match } from "../decision/match.ts";
import { absent, type ResourceChange } from "../reload/reload-request.ts";
import { formatRef, type ResourceRef, type WatchedResource } from "../resource/watched-resource.ts";

/** By `formatRef`: the hash of the content that the pods were started with, or `absent`. */
export type Baselines = Readonly<Record<string, string>>;

export interface BaselineQuestion {
  readonly matches: readonly Match[];
  /** The resources that exist, by `formatRef`. */
  readonly resources: ReadonlyMap<string, WatchedResource>;
  /** What was recorded; empty at the first sight of a workload. */
  readonly recorded: Baselines;
  /** When the first baselines were recorded; undefined at the first sight. */
  readonly adoptedAtMs: number | undefined;
  /** Upstream's hashes that the pod template contains, by `formatRef`. */
  readonly upstreamHashes: ReadonlyMap<string, string>;
  /** Whether this operator has never reloaded the workload, so that upstream's hashes are those of its last rollout. */
  readonly isUpstreams: boolean;
  /** The hash that a resource had when the workload was first seen, if that is not long ago and it has changed since. */
  readonly hashAtFirstSight?: (ref: string) => string | undefined;
  /** Whether a match reloads when its resource is created or deleted. */
  readonly reloadsOnCreate: (match: Match) => boolean;
  readonly reloadsOnDelete: (match: Match) => boolean;
}

export interface BaselineComparison {
  /** The baselines to record, in which each change still has its old hash. */
  readonly kept: Baselines;
  /** In the order of their names. */
  readonly changes: readonly ResourceChange[];
}

/**
 * Compares what the pods of a workload were started with to what exists now. A resource without a baseline is adopted:
 * its content is the baseline from now on. A baseline whose resource does not count any more is dropped.
 *
 * A deleted resource keeps its baseline, so that a resource that is deleted and created again counts by its content.
 */
export function compareBaselines(question: BaselineQuestion): BaselineComparison {
  const { matches, resources, recorded } = question;
  const byRef = Map.groupBy(matches, ({ resource }) => formatRef(resource));
  const kept: Record<string, string> = {};
  const changes: ResourceChange[] = [];
  for (const ref of [...byRef.keys()].sort()) {
    const own = byRef.get(ref) ?? [];
    const [first] = own;
    if (first === undefined) continue;
    const resource = resources.get(ref);
    const before = shownBaseline(question, ref) ?? recorded[ref] ?? firstBaseline(question, resource);
    const after = resource?.hash ?? absent;
    if (counts(question, own, before, after)) {
      kept[ref] = before;
      changes.push(changeOf(first.resource, own, { before, after, resource }));
    } else {
      kept[ref] = after === absent ? before : after;
    }
  }
  return { kept, changes };
}

function changeOf(
  resource: ResourceRef,
  matches: readonly Match[],
  { before, after, resource: now }: { before: string; after: string; resource: WatchedResource | undefined },
): ResourceChange {
  return {
    resource,
    from: before,
    to: after,
    upstreamHash: now?.upstreamHash,
    isExplicit: matches.some(({ isExplicit }) => isExplicit),
  };
}

/** Upstream has rolled out the content that there is now, beside this operator or while it did not run. */
function shownBaseline(
  { upstreamHashes, isUpstreams, resources }: BaselineQuestion,
  ref: string,
): string | undefined {
  const resource = resources.get(ref);
  return isUpstreams && resource !== undefined && upstreamHashes.get(ref) === resource.upstreamHash
    ? resource.hash
    : undefined;
}

/** What is taken for the baseline of a resource that has none. */
function firstBaseline(
  { upstreamHashes, adoptedAtMs, hashAtFirstSight }: BaselineQuestion,
  resource: WatchedResource | undefined,
): string {
  if (resource === undefined) return absent;
  const ref = formatRef(resource);
  const upstream = upstreamHashes.get(ref);
  // Upstream has recorded other content than there is now: it changed while neither operator ran.
  if (upstream !== undefined && upstream !== resource.upstreamHash) return upstream;
  // Creation times are whole seconds. What existed at the first sight and counted then has a baseline.
  const isNew =
    adoptedAtMs !== undefined &&
    Date.parse(resource.creationTimestamp) >= Math.floor(adoptedAtMs / 1000) * 1000;
  if (isNew && upstream === undefined) return absent;
  return hashAtFirstSight?.(ref) ?? resource.hash;
}

/** Whether the difference is a reason to reload. */
function counts(
  { reloadsOnCreate, reloadsOnDelete }: BaselineQuestion,
  matches: readonly Match[],
  before: string,
  after: string,
): boolean {
  if (before === after) return false;
  if (before === absent) return matches.some(reloadsOnCreate);
  return after === absent ? matches.some(reloadsOnDelete) : true;
}

/** The baselines after a reload for these changes. */
export function withChanges(kept: Baselines, changes: readonly ResourceChange[]): Baselines {
  const reloaded = changes.map(({ resource, to }) => [formatRef(resource), to] as const);
  return { ...kept, ...Object.fromEntries(reloaded) };
}
