import type { ServedResource } from "../../resource/served-resource.ts";
import { storeKey } from "../../store/store.ts";
import type { NamedTarget } from "../object-writer.ts";

/** Kinds that are kept under another name than their own in etcd, for reasons of history. */
const historicalPrefixes: Readonly<Record<string, string>> = {
  endpoints: "services/endpoints",
  "ingresses.networking.k8s.io": "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
};

/** Groups that are served by servers of their own, which keep them apart. */
const separateGroups: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** Where the real server keeps the object in etcd: some of its messages say so. */
export function registryKey({ resource, namespace, name }: NamedTarget): string {
  return `/registry${registryPrefix(resource)}/${storeKey(namespace, name)}`;
}

/** Where the objects of a kind are kept, below what all kinds have in common. */
export function registryPrefix({ group, plural, collection, isCustom }: ServedResource): string {
  const isApart = isCustom || separateGroups.has(group);
  return `/${isApart ? `${group}/${plural}` : (historicalPrefixes[collection] ?? plural)}`;
}
