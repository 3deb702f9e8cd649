import type { ConditionUpdate } from "keelson";
import { ConditionType, Reason } from "../api/reasons.ts";
import { type Finding, findingsOf, listed, targetName } from "./findings.ts";
import type { Observation } from "./observation.ts";

type Judgement = Pick<ConditionUpdate, "status" | "reason" | "message">;

/** All conditions of a ReloaderConfig. None of them depends on a condition of an earlier reconcile. */
export function conditionsOf(observation: Observation): readonly ConditionUpdate[] {
  const observedGeneration = observation.config.metadata.generation ?? 0;
  const findings = observation.isIgnored ? [] : findingsOf(observation);
  const judgements: readonly (readonly [string, Judgement])[] = [
    [ConditionType.Available, available(observation, findings)],
    [ConditionType.Progressing, progressing(observation)],
    [ConditionType.Degraded, degraded(findings)],
  ];
  return judgements.map(([type, judgement]) => ({ type, ...judgement, observedGeneration }));
}

/** What keeps a target from being reloaded; the other problems leave the targets reloadable. */
const blocking: ReadonlySet<Reason> = new Set([
  Reason.InvalidSpec,
  Reason.TargetNotFound,
  Reason.KindNotServed,
  Reason.TargetNotReloadable,
]);

function available(observation: Observation, findings: readonly Finding[]): Judgement {
  if (observation.isIgnored)
    return {
      ...{ status: "False", reason: Reason.Ignored },
      message: "The annotation ignore is true; remove it to reload targets",
    };
  const [first, ...others] = findings.filter(({ reason }) => blocking.has(reason));
  if (first !== undefined)
    return {
      ...{ status: "False", reason: first.reason },
      message: listed([first, ...others].map(({ message }) => message)),
    };
  const idle = idleness(observation);
  return idle === undefined
    ? {
        ...{ status: "True", reason: Reason.Reconciled },
        message: "ReloaderConfig is active and watching resources",
      }
    : { status: "False", reason: Reason.NothingToDo, message: idle };
}

/** Why a valid spec can never reload anything. */
export function idleness({ config }: Pick<Observation, "config">): string | undefined {
  const { targets = [], watchedResources, autoReloadAll } = config.spec;
  if (targets.length === 0) return "The spec has no targets; add the workloads to reload";
  const {
    secrets = [],
    configMaps = [],
    secretProviderClasses = [],
    resourceSelector,
  } = watchedResources ?? {};
  const hasNames = secrets.length + configMaps.length + secretProviderClasses.length > 0;
  return hasNames || resourceSelector !== undefined || autoReloadAll
    ? undefined
    : "The spec watches nothing; add names to watchedResources, or set autoReloadAll to true";
}

/** Collecting ends after a moment, and would change the condition at every reload. */
function progressing({ config, targets, isIgnored }: Observation): Judgement {
  const waiting = targets.flatMap(({ workload, records }) =>
    records.flatMap(({ status }): readonly Finding[] => {
      const target = `Target ${targetName(workload, config.metadata.namespace)}`;
      if (status?.restart !== undefined)
        return [
          {
            reason: Reason.Restarting,
            message: `${target} is being restarted: its pods are evicted`,
          },
        ];
      const { pending } = status ?? {};
      if (pending === undefined || pending.reason === "Collecting") return [];
      const until = pending.until === undefined ? "" : ` until ${pending.until}`;
      return [
        { reason: Reason.ReloadPending, message: `Changes of ${target} wait (${pending.reason})${until}` },
      ];
    }),
  );
  const [first] = waiting;
  if (first === undefined || isIgnored) return { status: "False", reason: Reason.Reconciled, message: "" };
  return {
    ...{ status: "True", reason: first.reason },
    message: listed(waiting.map(({ message }) => message)),
  };
}

function degraded(findings: readonly Finding[]): Judgement {
  const [first] = findings;
  if (first === undefined) return { status: "False", reason: Reason.Reconciled, message: "" };
  return {
    ...{ status: "True", reason: first.reason },
    message: listed(findings.map(({ message }) => message)),
  };
}
