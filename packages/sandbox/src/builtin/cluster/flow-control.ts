import type { FlowSchema, PriorityLevelConfiguration } from "@keelson/core/kinds/flowcontrol/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { builtinStrategy } from "../builtin-strategy.ts";
import { flowSchemaProblems, priorityLevelProblems } from "./flow-control-validation.ts";

export const flowSchemaStrategy: Strategy = builtinStrategy<FlowSchema>({
  countsGenerations: true,
  setDefaults(schema) {
    schema.spec ??= {};
    schema.spec.matchingPrecedence ||= 1_000;
  },
  validate: ({ metadata, spec = {} }) => flowSchemaProblems(spec, metadata.name ?? ""),
});

export const priorityLevelStrategy: Strategy = builtinStrategy<PriorityLevelConfiguration>({
  countsGenerations: true,
  setDefaults({ spec: { limited, exempt } = {} }) {
    if (exempt !== undefined) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (limited === undefined) return;
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const { queuing } = limited.limitResponse ?? {};
    if (queuing === undefined) return;
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  },
  validate: ({ metadata, spec = {} }) => priorityLevelProblems(spec, metadata.name ?? ""),
});
