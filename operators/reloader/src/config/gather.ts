import type { ObjectContext } from "keelson";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import { isIgnoredConfig } from "../decision/config-match.ts";
import { namespaceLabels } from "../workload/concerned-workloads.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import type { AlertChecks } from "./alert-checks.ts";
import type { Observation } from "./observation.ts";
import { specProblems } from "./spec-problems.ts";
import { findTargets } from "./targets.ts";
import { watchedResourcesOf } from "./watched-resources.ts";

/** Reads everything that the status of a ReloaderConfig is made of. */
export async function observe(
  context: ObjectContext<ReloaderConfig>,
  parts: ReloaderParts,
  alertChecks: AlertChecks,
): Promise<Observation> {
  const { object: config, client, clock } = context;
  const nowMs = clock.now();
  const targets = await findTargets(config, context, parts);
  const namespaces = await namespaceLabels(client, parts, [config]);
  const workloads = targets.flatMap(({ found }) => found ?? []);
  const { namespace } = config.metadata;
  return {
    ...{ config, targets, nowMs, settings: parts.settings },
    isIgnored: isIgnoredConfig(config, parts.keys),
    ...(await watchedResourcesOf(config, client, { parts, namespaces, workloads })),
    problems: specProblems(config.spec, { namespace, nowMs, urls: alertChecks.urls }),
    unresolvedAlerts: await alertChecks.problemsOf(context),
  };
}
