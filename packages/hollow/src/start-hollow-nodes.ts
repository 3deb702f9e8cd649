import { type Client, dnsSubdomainProblem, isRecord, silentLogger, systemClock, systemRandom } from "keelson";
import { InvalidNodesError } from "./errors.ts";
import type { HollowNodes, HollowNodesOptions } from "./hollow-nodes.ts";
import { NodeAgent } from "./node/node-agent.ts";
import { type NodeSettings, resolveNodes } from "./node/node-settings.ts";
import type { PodTiming } from "./pod/situation.ts";
import { RunningHollowNodes } from "./running-hollow-nodes.ts";

/**
 * Starts hollow nodes: Nodes that are ready, and whose pods run, become ready, end and go as on real ones, without a
 * container anywhere. Returns when the Nodes are there and ready. Works on whatever cluster the client reaches; a Node
 * that is not hollow is never touched.
 */
export async function startHollowNodes(options: HollowNodesOptions): Promise<HollowNodes> {
  const { client, clock = systemClock, random = systemRandom, log = silentLogger, signal } = options;
  const { heartbeatMs = 10_000, statusIntervalMs = 300_000, removeNodes = true, events } = options;
  const settings = resolveNodes(options.nodes, await serverVersion(client, signal));
  const problems = problemsOf(settings);
  if (problems.length > 0) throw new InvalidNodesError(problems);
  const agents = settings.map(
    (node) => new NodeAgent({ client, clock, random, log, settings: node, heartbeatMs, statusIntervalMs }),
  );
  const nodes = new RunningHollowNodes({
    client,
    clock,
    random,
    log,
    agents,
    timing: timingOf(options),
    removeNodes,
    ...(events !== undefined && { events }),
  });
  await nodes.start(signal);
  return nodes;
}

function timingOf(options: HollowNodesOptions): PodTiming {
  return {
    startDelayMs: options.podStartDelayMs ?? 0,
    initRunMs: options.initRunMs ?? 0,
    readyDelayMs: options.readyDelayMs ?? 0,
    runMs: options.runMs ?? 200,
    terminationDelayMs: options.terminationDelayMs ?? 0,
    restartBackoffMs: options.restartBackoffMs ?? 10_000,
  };
}

function problemsOf(settings: readonly NodeSettings[]): readonly string[] {
  const names = settings.map(({ name }) => name);
  const problems = names.flatMap((name, index) => {
    if (names.indexOf(name) !== index) return [`two nodes are named ${name}; give each a name of its own`];
    const problem = dnsSubdomainProblem(name);
    return problem === undefined ? [] : [`node name ${JSON.stringify(name)} ${problem}`];
  });
  return names.length === 0 ? ["there are none; ask for at least one"] : problems;
}

/** A kubelet is as new as its API server, unless told otherwise. */
async function serverVersion(client: Client, signal: AbortSignal | undefined): Promise<string> {
  const version = await client.raw("/version", signal === undefined ? {} : { signal });
  return isRecord(version) && typeof version.gitVersion === "string" ? version.gitVersion : "v0.0.0";
}
