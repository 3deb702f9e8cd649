import {
  type ControllerDefinition,
  controller,
  generationChanged,
  type ObjectContext,
  type ReconcileResult,
} from "keelson";
import { toError } from "keelson/low-level";
import type { AppTemplate } from "../api/app-template.ts";
import type { Helm } from "../helm/helm.ts";
import type { Kinds } from "../kinds.ts";
import type { AzimuthSettings } from "../settings.ts";
import { ChartRepositories, type Fetch } from "./chart-repositories.ts";
import { UnusableAppTemplateError } from "./errors.ts";
import { nextSyncMs, type SyncResult, syncAppTemplate, syncPeriodMs } from "./sync.ts";

/** What the controller is made of. */
export interface AppTemplateParts {
  readonly kinds: Pick<Kinds, "AppTemplate">;
  readonly helm: Pick<Helm, "withChart">;
  readonly fetch: Fetch;
  readonly settings: Pick<AzimuthSettings, "easykubeFieldManager">;
}

/** A sync mostly waits for a repository, and one that does not respond must not hold up the others. */
const concurrency = 8;
/** A timer that is due later than this is set again in between. */
const longestWaitMs = 86_400_000;

/** Keeps the versions in the status of AppTemplates up to date with their repositories. */
export function appTemplateController({
  kinds,
  helm,
  fetch,
  settings,
}: AppTemplateParts): ControllerDefinition {
  const repositories = new ChartRepositories(fetch);
  return controller(kinds.AppTemplate, {
    ...{ concurrency, fieldOwner: settings.easykubeFieldManager, backoff: "oneSecondToFiveMinutes" },
    predicates: [generationChanged],
  }).reconcile((context) => reconcileAppTemplate(context, { repositories, helm }));
}

interface Sources {
  readonly repositories: ChartRepositories;
  readonly helm: Pick<Helm, "withChart">;
}

async function reconcileAppTemplate(
  context: ObjectContext<AppTemplate>,
  sources: Sources,
): Promise<ReconcileResult> {
  const { object, clock, log, signal } = context;
  const { metadata, spec } = object;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const dueMs = nextSyncMs(object, clock.now());
  if (dueMs > clock.now()) return { requeueAfterMs: Math.min(dueMs - clock.now(), longestWaitMs) };
  try {
    const { status, invalid, failure } = await syncAppTemplate(object, { ...sources, clock, log, signal });
    await context.setStatus(status);
    recordSync(context, { status, invalid, failure });
    if (failure !== undefined) throw failure;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UnusableAppTemplateError)) {
      context.event("Warning", eventReasons.syncFailed, `${toError(error).message}; the operator retries`);
      throw error;
    }
    context.event("Warning", error.reason, error.message);
    log.warn("an AppTemplate cannot be synced", { reason: error.reason, problem: error.message });
  }
  return { requeueAfterMs: Math.min(syncPeriodMs(spec), longestWaitMs) };
}

/** Reasons of Events, beside those of an AppTemplate that cannot be synced. */
const eventReasons = {
  /** Other versions are offered than before. */
  synced: "Synced",
  /** The repository or a chart could not be read; it is tried again. */
  syncFailed: "SyncFailed",
  /** A version is not offered, as its schemas cannot be read. */
  versionSkipped: "VersionSkipped",
} as const;

function recordSync({ object, event }: ObjectContext<AppTemplate>, { status, invalid }: SyncResult): void {
  const namesIn = ({ versions = [] }: SyncResult["status"]): string =>
    versions.map(({ name }) => name).join(", ");
  if (namesIn(status) !== namesIn(object.status ?? {}))
    event("Normal", eventReasons.synced, `offers ${namesIn(status)}`);
  for (const { version, problem } of invalid)
    event("Warning", eventReasons.versionSkipped, `version ${version} is not offered: ${problem}`);
}
