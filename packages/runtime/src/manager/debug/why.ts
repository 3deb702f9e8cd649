import type { ServiceResponse } from "@keelson/core";
import type { CausalLog } from "../../controller/causal/causal-log.ts";
import { textAnswer } from "./answers.ts";

/** The causal logs of controllers, by their names. */
export type CausalLogs = ReadonlyMap<string, CausalLog>;

/**
 * Why did this run? `?controller=webapp&key=shop/web` tells of the last runs of a key; without a key it lists the keys
 * that have runs on record, and without a controller the controllers.
 */
export function why(logs: CausalLogs, query: URLSearchParams): ServiceResponse {
  const controller = query.get("controller");
  const key = query.get("key");
  const names = [...logs.keys()].sort();
  if (controller === null) return textAnswer(200, listOf("controllers", names));
  const log = logs.get(controller);
  if (log === undefined)
    return textAnswer(404, `no controller is called ${controller}; ${listOf("controllers", names)}`);
  return textAnswer(200, key === null ? listOf(`keys of ${controller}`, log.keys()) : log.explain(key));
}

function listOf(what: string, names: readonly string[]): string {
  return [`${what}:`, ...(names.length === 0 ? ["(none)"] : names)].join("\n  ");
}
