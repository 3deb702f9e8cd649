import { type GroupVersionKind, isRecord } from "@keelson/core";
import type { CallOptions, Client } from "../client.ts";
import { NotFoundError } from "../errors.ts";
import {
  arrayOf,
  type DiscoveredResource,
  readApiResourceList,
  readGroupDiscoveryList,
} from "./api-resource-list.ts";

/** What one group serves. */
export interface DiscoveredGroup {
  /** The version that the server recommends; the first one served if it recommends none. */
  readonly preferredVersion: string;
  readonly resources: readonly DiscoveredResource[];
}

/** Discovers one group; undefined if the server has no such group. */
export async function discoverGroup(
  client: Client,
  group: string,
  options: CallOptions = {},
): Promise<DiscoveredGroup | undefined> {
  const root = group === "" ? "/api" : `/apis/${encodeURIComponent(group)}`;
  const description = await undefinedIfMissing(client.raw(root, options));
  if (description === undefined) return undefined;
  const versions = versionsOf(description);
  const lists = versions.map((version) => discoverVersion(client, { group, version }, options));
  const resources = (await Promise.all(lists)).flat();
  return { preferredVersion: preferredOf(description) ?? versions[0] ?? "", resources };
}

/** Discovers one version of a group, in one request; nothing if the server has no such version. */
export async function discoverVersion(
  client: Client,
  { group, version }: Pick<GroupVersionKind, "group" | "version">,
  options: CallOptions = {},
): Promise<readonly DiscoveredResource[]> {
  const root = group === "" ? "/api" : `/apis/${encodeURIComponent(group)}`;
  const list = await undefinedIfMissing(client.raw(`${root}/${encodeURIComponent(version)}`, options));
  return readApiResourceList(group, version, list);
}

/** The core group lists its versions as strings, the other groups as objects. */
function versionsOf(description: unknown): readonly string[] {
  return arrayOf(isRecord(description) ? description.versions : undefined).flatMap((entry) => {
    if (typeof entry === "string") return [entry];
    return isRecord(entry) && typeof entry.version === "string" ? [entry.version] : [];
  });
}

function preferredOf(description: unknown): string | undefined {
  const preferred = isRecord(description) ? description.preferredVersion : undefined;
  return isRecord(preferred) && typeof preferred.version === "string" ? preferred.version : undefined;
}

async function undefinedIfMissing(response: Promise<unknown>): Promise<unknown> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Everything the server serves: in two requests, or, from servers before 1.26, in one for each group and version. */
export async function discoverAll(
  client: Client,
  options: CallOptions = {},
): Promise<readonly DiscoveredResource[]> {
  const fetchList = (path: string): Promise<unknown> =>
    client.caller.raw({ ...options, path, accept: aggregated });
  const [core, named] = await Promise.all([fetchList("/api"), fetchList("/apis")]);
  if (isAggregated(core) && isAggregated(named)) {
    return [...readGroupDiscoveryList(core), ...readGroupDiscoveryList(named)];
  }
  const groups = arrayOf(isRecord(named) ? named.groups : undefined).filter(isRecord);
  const names = ["", ...groups.map(({ name }) => String(name))];
  const found = await Promise.all(names.map((group) => discoverGroup(client, group, options)));
  return found.flatMap((group) => group?.resources ?? []);
}

function isAggregated(response: unknown): boolean {
  return isRecord(response) && response.kind === "APIGroupDiscoveryList";
}
