import { storeKey } from "../store/store.ts";
import type { ServedResource } from "./served-resource.ts";

/** Kinds that etcd holds under a historical name. */
const historicalPrefixes: Readonly<Record<string, string>> = {
  endpoints: "services/endpoints",
  "ingresses.networking.k8s.io": "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
};

/** Groups with an API server of their own, which stores them under the name of the group. */
const separateGroups: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

interface EtcdTarget {
  readonly resource: ServedResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The key of an object in the etcd of the real server; some error messages contain it. */
export function etcdKey({ resource, namespace, name }: EtcdTarget): string {
  return `/registry${etcdPrefix(resource)}/${storeKey(namespace, name)}`;
}

/** The part of the key that all objects of a kind share, below `/registry`. */
export function etcdPrefix({ group, plural, collection, isCustom }: ServedResource): string {
  const isApart = isCustom || separateGroups.has(group);
  return `/${isApart ? `${group}/${plural}` : (historicalPrefixes[collection] ?? plural)}`;
}
