import { isRecord } from "@keelson/core";
import type { CallOptions, Client } from "../client.ts";
import { arrayOf, type DiscoveredResource, readGroupDiscoveryList } from "./api-resource-list.ts";
import { discoverGroup } from "./discover-group.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Everything the server serves: in two requests, or, from servers before 1.26, in one for each group and version. */
export async function discoverAll(
  client: Client,
  options: CallOptions = {},
): Promise<readonly DiscoveredResource[]> {
  const ask = (path: string): Promise<unknown> => client.caller.raw({ ...options, path, accept: aggregated });
  const [core, others] = await Promise.all([ask("/api"), ask("/apis")]);
  if (isAggregated(core) && isAggregated(others)) {
    return [...readGroupDiscoveryList(core), ...readGroupDiscoveryList(others)];
  }
  const groups = arrayOf(isRecord(others) ? others.groups : undefined).filter(isRecord);
  const names = ["", ...groups.map(({ name }) => String(name))];
  const found = await Promise.all(names.map((group) => discoverGroup(client, group, options)));
  return found.flatMap((group) => group?.resources ?? []);
}

function isAggregated(answer: unknown): boolean {
  return isRecord(answer) && answer.kind === "APIGroupDiscoveryList";
}
