import { type Clock, deepEqual, formatTime, type Logger, type Stored } from "keelson";
import { toError } from "keelson/low-level";
import type { AppTemplate, AppTemplateSpec, AppTemplateStatus, AppVersion } from "../api/app-template.ts";
import type { Helm } from "../helm/helm.ts";
import { parseRange } from "../semver/range.ts";
import type { ChartDisplay, IndexedVersion } from "./chart-index.ts";
import type { ChartRepositories } from "./chart-repositories.ts";
import { readSchemas } from "./chart-schemas.ts";
import { chooseVersions } from "./choose-versions.ts";
import { InvalidChartError, UnusableAppTemplateError } from "./errors.ts";
import { withTimeLimit } from "./time-limit.ts";

/** What a sync needs beside the AppTemplate. */
export interface SyncDependencies {
  readonly repositories: ChartRepositories;
  readonly helm: Pick<Helm, "withChart">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** What came of a sync. */
export interface SyncResult {
  readonly status: AppTemplateStatus;
  readonly invalid: readonly InvalidVersion[];
  /** Why a version could not be read; the status then has the others, and the sync is to be repeated. */
  readonly failure: Error | undefined;
}

/** A version that is not offered, as its schemas cannot be read. */
interface InvalidVersion {
  readonly version: string;
  readonly problem: string;
}

const defaultRange = ">=0.0.0";
const defaultKeep = 5;
const defaultFrequencySeconds = 86_400;

/** How long the download of one chart may take. */
const pullTimeoutMs = 120_000;
/** So many of the versions that are skipped are logged. */
const mostShown = 10;

/** How often an AppTemplate is synced. */
export function syncPeriodMs({ syncFrequency }: Pick<AppTemplateSpec, "syncFrequency">): number {
  return (syncFrequency ?? defaultFrequencySeconds) * 1000;
}

/** When the next sync is due: at once if the spec has changed since the last one. */
export function nextSyncMs(
  { metadata, spec, status = {} }: Pick<Stored<AppTemplate>, "metadata" | "spec" | "status">,
  nowMs: number,
): number {
  const lastMs = Date.parse(status.lastSync ?? "");
  const isCurrent = status.observedGeneration === metadata.generation;
  // A time in the future was written with a wrong clock, and would hold up the next sync.
  return isCurrent && lastMs <= nowMs ? lastMs + syncPeriodMs(spec) : nowMs;
}

/**
 * Finds out which versions of a chart there are, and reads the schemas of those that the status does not have yet. Throws an
 * UnusableAppTemplateError if there is nothing to offer, or a RepositoryError.
 */
export async function syncAppTemplate(
  object: Stored<AppTemplate>,
  dependencies: SyncDependencies,
): Promise<SyncResult> {
  const { spec } = object;
  const chosen = await newestVersions(spec, dependencies);
  const known = knownVersions(object);
  const versions: AppVersion[] = [];
  const invalid: InvalidVersion[] = [];
  let failure: Error | undefined;
  for (const { version } of chosen) {
    try {
      versions.push(known.get(version) ?? (await readVersion(spec.chart, version, dependencies)));
    } catch (error) {
      dependencies.signal.throwIfAborted();
      if (error instanceof InvalidChartError) invalid.push({ version, problem: error.message });
      else failure ??= toError(error);
    }
  }
  if (versions.length === 0) throw failure ?? nothingReadable(invalid);
  const sync = failure === undefined ? syncedNow(object, dependencies.clock) : lastSync(object);
  const status = { ...displayOf(spec, chosen[0]?.display()), versions, syncedChart: spec.chart, ...sync };
  return { status, invalid, failure };
}

async function newestVersions(
  { chart, versionRange, keepVersions }: AppTemplateSpec,
  { repositories, clock, log, signal }: SyncDependencies,
): Promise<readonly IndexedVersion[]> {
  const range = parseRange(versionRange ?? defaultRange);
  if (range === undefined)
    throw new UnusableAppTemplateError(
      "InvalidVersionRange",
      `versionRange is no range: ${JSON.stringify(versionRange)}; write it like >=1.0.0,<2.0.0`,
    );
  const indexed = await repositories.versionsOf(chart, clock, signal);
  const { chosen, invalid } = chooseVersions(indexed ?? [], { range, keep: keepVersions ?? defaultKeep });
  if (invalid.length > 0)
    log.warn("skip versions of a chart that are not SemVer versions", {
      chart: chart.name,
      count: invalid.length,
      versions: invalid.slice(0, mostShown),
    });
  if (chosen.length > 0) return chosen;
  const why =
    indexed === undefined ? `the repository has no chart ${chart.name}` : `none of ${indexed.length}`;
  throw new UnusableAppTemplateError("NoMatchingVersions", `no versions matching constraint: ${why}`);
}

/** The versions of the status, unless they are of another chart than that of the spec. */
function knownVersions({ spec, status = {} }: Stored<AppTemplate>): ReadonlyMap<string, AppVersion> {
  const { versions = [], syncedChart = spec.chart } = status;
  return new Map(
    deepEqual(syncedChart, spec.chart) ? versions.map((version) => [version.name, version]) : [],
  );
}

async function readVersion(
  { repo, name }: AppTemplateSpec["chart"],
  version: string,
  { helm, clock, signal }: SyncDependencies,
): Promise<AppVersion> {
  const schemas = await withTimeLimit({ clock, limitMs: pullTimeoutMs, signal }, (either) =>
    helm.withChart({ name, repository: repo, version }, either, readSchemas),
  );
  return { name: version, ...schemas };
}

function nothingReadable([first]: readonly InvalidVersion[]): UnusableAppTemplateError {
  return new UnusableAppTemplateError(
    "InvalidChart",
    `no version can be read; of the newest one, ${first?.version}: ${first?.problem}`,
  );
}

/** What the newest version says, unless the spec says something else. */
function displayOf(
  spec: AppTemplateSpec,
  newest: ChartDisplay | undefined,
): Omit<AppTemplateStatus, "versions"> {
  const label = spec.label || newest?.label;
  const logo = spec.logo || newest?.logo;
  const description = spec.description || newest?.description;
  return {
    ...(label !== undefined && { label }),
    ...(logo !== undefined && { logo }),
    ...(description !== undefined && { description }),
  };
}

type SyncFields = Pick<AppTemplateStatus, "lastSync" | "observedGeneration">;

function syncedNow({ metadata: { generation = 1 } }: Stored<AppTemplate>, clock: Clock): SyncFields {
  return { lastSync: formatTime(clock.now()), observedGeneration: generation };
}

/** The sync stays due. */
function lastSync({ status = {} }: Stored<AppTemplate>): SyncFields {
  const { lastSync: last, observedGeneration } = status;
  return {
    ...(last !== undefined && { lastSync: last }),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}
