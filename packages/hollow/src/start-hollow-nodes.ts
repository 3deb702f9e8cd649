import { type Client, systemClock } from "keelson";
import { isRecord, systemRandom } from "keelson/low-level";
import { silentLogger } from "keelson/telemetry";
import { InvalidNodesError } from "./errors.ts";
import type { HollowNodes, HollowNodesOptions } from "./hollow-nodes.ts";
import { NodeAgent } from "./node/node-agent.ts";
import { makeProgramMark } from "./node/node-claim.ts";
import { resolveNodes } from "./node/node-settings.ts";
import { problemsOf } from "./option-problems.ts";
import type { PodTiming } from "./pod/situation.ts";
import { RunningHollowNodes } from "./running-hollow-nodes.ts";

/**
 * Starts hollow nodes: Nodes that are ready, and whose pods run, become ready, end and go as on real ones, without a
 * container anywhere. Returns when the Nodes exist and are ready. Works on whatever cluster the client reaches; a Node
 * that is not hollow is never touched.
 */
export async function startHollowNodes(options: HollowNodesOptions): Promise<HollowNodes> {
  const { client, clock = systemClock, random = systemRandom, log = silentLogger, signal } = options;
  const { heartbeatMs = 10_000, statusIntervalMs = 300_000, removeNodes = true, events } = options;
  const problems = problemsOf(options);
  if (problems.length > 0) throw new InvalidNodesError(problems);
  const parts = {
    client,
    clock,
    random,
    log,
    program: makeProgramMark(random),
    heartbeatMs,
    statusIntervalMs,
  };
  const agents = resolveNodes(options.nodes, await serverVersion(client, signal)).map(
    (settings) => new NodeAgent({ ...parts, settings }),
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

/** The version of the kubelet is that of the API server by default. */
async function serverVersion(client: Client, signal: AbortSignal | undefined): Promise<string> {
  const version = await client.raw("/version", signal === undefined ? {} : { signal });
  return isRecord(version) && typeof version.gitVersion === "string" ? version.gitVersion : "v0.0.0";
}
