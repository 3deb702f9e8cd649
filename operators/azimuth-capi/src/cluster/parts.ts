import type { ObjectContext } from "keelson";
import type { RandomBytes } from "keelson/low-level";
import type { Cluster } from "../api/cluster.ts";
import type { ConfiguredNames } from "../api/configured-names.ts";
import type { Helm } from "../helm/helm.ts";
import type { Kinds } from "../kinds.ts";
import type { AzimuthSettings } from "../settings.ts";
import type { TenantClusters } from "../tenant/tenant-clusters.ts";
import type { StatusPace } from "./status-pace.ts";

/** What reconciles of Clusters are made with; one for each manager. */
export interface ClusterParts {
  readonly settings: AzimuthSettings;
  readonly kinds: Kinds;
  readonly names: ConfiguredNames;
  readonly helm: Helm;
  readonly tenants: TenantClusters;
  readonly statusPace: StatusPace;
  readonly randomBytes: RandomBytes;
  readonly fetch: typeof fetch;
}

export type ClusterContext = ObjectContext<Cluster>;
