import { dnsSubdomainProblem } from "keelson/low-level";
import type { HollowNodesOptions } from "./hollow-nodes.ts";

/** The least that each may be. A node that does not pause between two heartbeats would do nothing else. */
const leastTimes = [
  ["podStartDelayMs", 0],
  ["initRunMs", 0],
  ["readyDelayMs", 0],
  ["runMs", 0],
  ["terminationDelayMs", 0],
  ["restartBackoffMs", 0],
  ["heartbeatMs", 1],
  ["statusIntervalMs", 0],
] as const;

/** All problems of the options, so that one attempt shows them all. */
export function problemsOf(options: HollowNodesOptions): readonly string[] {
  const { nodes } = options;
  const problems =
    typeof nodes === "number" ? countProblems(nodes) : nameProblems(nodes.map(({ name }) => name));
  return [...problems, ...timeProblems(options)];
}

function countProblems(count: number): readonly string[] {
  return Number.isSafeInteger(count) && count >= 1
    ? []
    : [`nodes is ${count}, must be a whole number of at least 1`];
}

function nameProblems(names: readonly string[]): readonly string[] {
  if (names.length === 0) return ["the list is empty; it needs at least one"];
  return names.flatMap((name, index) => {
    if (names.indexOf(name) !== index) return [`two nodes are named ${name}; give each a name of its own`];
    const problem = dnsSubdomainProblem(name);
    return problem === undefined ? [] : [`node name ${JSON.stringify(name)} ${problem}`];
  });
}

function timeProblems(options: HollowNodesOptions): readonly string[] {
  return leastTimes.flatMap(([name, least]) => {
    const value = options[name];
    if (value === undefined || (Number.isFinite(value) && value >= least)) return [];
    return [`${name} is ${value}, must be a finite number of at least ${least}`];
  });
}
