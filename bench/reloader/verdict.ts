import type { Content, ContentChange } from "./content.ts";
import { type RolloutLog, upstreamVariables, type WorkloadHistory } from "./rollout-log.ts";
import type { Workload } from "./workload.ts";

/** How the workloads of a scenario were reloaded. */
export interface Verdict {
  readonly rollouts: number;
  /** Changes of content, once for each workload that uses it: the rollouts if each change had its own. */
  readonly changes: number;
  /** Workloads that are not on the last content. */
  readonly missed: readonly string[];
  /** Rollouts without a change of content. */
  readonly superfluous: readonly string[];
  /** For each change and workload: from the acceptance of the change until the next template is seen. */
  readonly latenciesMs: readonly number[];
}

/** Judges by the order of resource versions and times, without knowledge of the subject. */
export function judge(log: RolloutLog, workloads: readonly Workload[]): Verdict {
  const verdict = {
    rollouts: 0,
    changes: 0,
    missed: [] as string[],
    superfluous: [] as string[],
    latenciesMs: [] as number[],
  };
  for (const workload of workloads) {
    const history = log.historyOf(workload);
    if (history === undefined) continue;
    const name = `${workload.kind} ${workload.namespace}/${workload.name}`;
    const changes = changesFor(workload.contents, history);
    verdict.rollouts += history.rollouts.length;
    verdict.changes += changes.length;
    verdict.latenciesMs.push(...latenciesOf(history, changes));
    verdict.superfluous.push(...superfluousRollouts(history, changes).map((at) => `${name} (rollout ${at})`));
    if (isMissed(workload, history)) verdict.missed.push(name);
  }
  return verdict;
}

/** Whether a workload has rollouts to come. */
export function isMissed(workload: Workload, history: WorkloadHistory | undefined): boolean {
  if (history === undefined) return true;
  if (history.isDeleted) return false;
  const lastRollout = history.rollouts.at(-1)?.version ?? history.createdVersion;
  const variables = upstreamVariables(history.template);
  return workload.contents.some((content) => {
    const isNewer = (content.changes.at(-1)?.version ?? 0) > lastRollout;
    const { name, value } = content.upstreamVariable;
    const isOther = variables[name] !== undefined && variables[name] !== value;
    return isNewer || isOther;
  });
}

/** What changed while the workload existed, in order. */
function changesFor(contents: readonly Content[], history: WorkloadHistory): readonly ContentChange[] {
  return contents
    .flatMap(({ changes }) => changes)
    .filter(({ version }) => version > history.createdVersion)
    .sort((a, b) => a.version - b.version);
}

function latenciesOf(history: WorkloadHistory, changes: readonly ContentChange[]): readonly number[] {
  return changes.flatMap(({ version, acceptedAtMs }) => {
    const next = history.templateChanges.find((change) => change.version > version);
    return next === undefined ? [] : [Math.max(0, next.atMs - acceptedAtMs)];
  });
}

/**
 * The numbers of rollouts that repeat what an earlier one was for, or that are more than there were changes. A rollout for
 * a change that was accepted just before the patch for an earlier one is not superfluous.
 */
function superfluousRollouts(
  { rollouts }: WorkloadHistory,
  changes: readonly ContentChange[],
): readonly number[] {
  const fingerprints = new Set<string>();
  return rollouts.flatMap(({ version, fingerprint }, index) => {
    const isRepeated = fingerprints.has(fingerprint);
    fingerprints.add(fingerprint);
    const changesBefore = changes.filter((change) => change.version < version).length;
    return isRepeated || changesBefore <= index ? [index + 1] : [];
  });
}
