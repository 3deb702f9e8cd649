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
  const { group, plural, collection, isCustom } = resource;
  const prefix =
    isCustom || separateGroups.has(group) ? `${group}/${plural}` : (historicalPrefixes[collection] ?? plural);
  return `/registry/${prefix}/${storeKey(namespace, name)}`;
}
