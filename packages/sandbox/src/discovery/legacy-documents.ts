import { createHash } from "node:crypto";
import { kubernetesVersion } from "../builtin/generated/discovery.ts";
import type { ServedResource, Subresource } from "../resource/served-resource.ts";
import type { ServedGroup, ServedVersion } from "./served-groups.ts";

/** The document at `/api`. */
export function apiVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** The document at `/apis`. */
export function groupList(groups: readonly ServedGroup[]): object {
  const named = groups.filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupEntry) };
}

/** The document at `/apis/<group>`. */
export function groupDocument(group: ServedGroup): object {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

function groupEntry({ name, versions }: ServedGroup): object {
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** The documents at `/api/v1` and `/apis/<group>/<version>`. */
export function resourceList(group: string, { version, resources }: ServedVersion): object {
  return {
    kind: "APIResourceList",
    // The core group has no apiVersion here.
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: resources.flatMap((resource) => [
      resourceEntry(resource),
      ...[...resource.subresources.values()].map((part) => subresourceEntry(resource, part)),
    ]),
  };
}

function resourceEntry(resource: ServedResource): object {
  const { plural, singular, scope, kind, verbs, shortNames, categories } = resource;
  const storageVersionHash = storageHash(resource);
  return {
    name: plural,
    singularName: singular,
    namespaced: scope === "Namespaced",
    kind,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  };
}

function subresourceEntry({ plural, scope }: ServedResource, part: Subresource): object {
  const { name, group, version, kind, verbs } = part;
  return {
    name: `${plural}/${name}`,
    singularName: "",
    namespaced: scope === "Namespaced",
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind,
    verbs,
  };
}

function storageHash({
  isCustom,
  group,
  storageVersion,
  kind,
  storageVersionHash,
}: ServedResource): string | undefined {
  if (storageVersionHash !== undefined || !isCustom) return storageVersionHash;
  return createHash("sha256")
    .update(`${group}/${storageVersion}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString("base64");
}

/** The document at `/version`: the version of Kubernetes that the sandbox reproduces, marked as another build. */
export function serverVersion(): object {
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `${kubernetesVersion}+keelson`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform: "",
  };
}
