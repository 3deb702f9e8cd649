import { deepEqual, type Stored, type Validation } from "keelson";
import { toError } from "keelson/low-level";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { AlertChecks } from "../config/alert-checks.ts";
import { type SpecProblem, specProblems } from "../config/spec-problems.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import { warningsOf } from "./warnings.ts";

type Call = Pick<
  Validation<ReloaderConfig>,
  "object" | "old" | "request" | "client" | "liveClient" | "clock" | "log" | "signal" | "deny" | "warn"
>;

/**
 * Refuses a ReloaderConfig that cannot work, and warns of what it waits for. A problem that the stored object has already, such as
 * one from before a change of the settings, is a warning: other fields can be changed in spite of it.
 */
export async function validateConfig(
  call: Call,
  parts: ReloaderParts,
  alertChecks: AlertChecks,
): Promise<void> {
  const { old, clock, deny, warn, log } = call;
  const config = storedConfig(call.object, call.request.namespace ?? "");
  const context = { namespace: config.metadata.namespace, nowMs: clock.now(), urls: alertChecks.urls };
  const known = old === undefined ? [] : specProblems(old.spec, context).map(describe);
  const problems = specProblems(config.spec, context);
  const added = problems.filter((problem) => !known.includes(describe(problem)));
  if (added.length > 0)
    deny(added.map(describe).join("; "), {
      reason: "Invalid",
      causes: added.map(({ field, message }) => ({ field, message })),
    });
  if (deepEqual(old?.spec, config.spec)) return;
  for (const problem of problems) warn(describe(problem));
  try {
    for (const warning of await warningsOf(config, call, parts, alertChecks)) warn(warning);
  } catch (error) {
    // Warnings are a help; a request does not fail because the cluster could not be read for them.
    log.warn("the warnings about a ReloaderConfig are incomplete", { error: toError(error) });
  }
}

function describe({ field, message }: SpecProblem): string {
  return `${field}: ${message}`;
}

/** What a new object does not have yet is empty. */
function storedConfig(object: ReloaderConfig, namespace: string): Stored<ReloaderConfig> {
  const { name = "", uid = "", resourceVersion = "", creationTimestamp = "" } = object.metadata;
  const metadata = { ...object.metadata, namespace, name, uid, resourceVersion, creationTimestamp };
  return { ...object, metadata };
}
