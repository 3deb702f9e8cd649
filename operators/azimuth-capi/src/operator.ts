import { cacheIndex, cacheKind, defineOperator, type Operator } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { systemRandomBytes } from "keelson/low-level";
import type { OperatorParts, PartDependencies } from "keelson/manager";
import { configuredNames } from "./api/configured-names.ts";
import { capiClusterLabel, clusterLabel } from "./api/names.ts";
import { appTemplateController } from "./app-template/controller.ts";
import { appPlatformController } from "./apps/app-platform.ts";
import { clusterController, leaseIndex } from "./cluster/controller.ts";
import { StatusPace } from "./cluster/status-pace.ts";
import { clusterUses } from "./cluster/uses.ts";
import { createHelm } from "./helm/helm.ts";
import { kindsOf } from "./kinds.ts";
import { addAzimuthMetrics } from "./metrics.ts";
import { azimuthProgress } from "./sample-progress.ts";
import { type AzimuthSettings, settings } from "./settings.ts";
import { TenantClusters } from "./tenant/tenant-clusters.ts";
import { upstream } from "./upstream.ts";
import { azimuthAdmissions } from "./webhook/admissions.ts";

/** Among the sources, and in the published package, where it is built. */
const neighboursModule = import.meta.url.endsWith(".ts")
  ? "../testing/sample-neighbours.ts"
  : "./sample-neighbours.js";

/** The Azimuth Cluster API operator: `keelson run azimuth-capi`. */
export const azimuthCapi: Operator = defineOperator({
  name: "azimuth-capi",
  settings,
  replaces: upstream,
  samples: {
    files: [
      new URL("../samples/templates.yaml", import.meta.url),
      new URL("../samples/demo-cluster.yaml", import.meta.url),
    ],
    neighbours: new URL(neighboursModule, import.meta.url),
    progress: azimuthProgress,
    tries: ["get azimuth -A", "describe clusters.azimuth.stackhpc.com demo -n az-demo"],
  },
  parts: makeParts,
});

function makeParts(dependencies: PartDependencies<AzimuthSettings>): OperatorParts<AzimuthSettings> {
  const { settings: chosen, clock, random, log, metrics, liveClient, access, env } = dependencies;
  const kinds = kindsOf(chosen);
  const names = configuredNames(chosen);
  const tenants = new TenantClusters({
    ...{ clock, random, log, metrics },
    zenithApiVersion: chosen.zenith.apiVersion,
  });
  const helm = createHelm({ settings: chosen.helmClient, access, client: liveClient, clock, env });
  const parts = {
    ...{ settings: chosen, kinds, names, helm, tenants, fetch },
    statusPace: new StatusPace(clock),
    randomBytes: systemRandomBytes,
  };
  const admissions = azimuthAdmissions({ kinds, names });
  const ofChart = { labelSelector: clusterLabel };
  return {
    resources: [kinds.Cluster, kinds.ClusterTemplate, kinds.AppTemplate],
    controllers: [clusterController(parts), appPlatformController(parts), appTemplateController(parts)],
    webhooks: admissions.webhooks,
    indexes: [
      cacheIndex(kinds.Cluster, leaseIndex, ({ spec: { leaseName } }) => (leaseName ? [leaseName] : [])),
      ...admissions.indexes,
    ],
    cache: [
      // The server sends no other Secrets than those of Cluster API, and none of its objects that Azimuth did not make.
      cacheKind(Secret, { labelSelector: capiClusterLabel }),
      cacheKind(kinds.CapiCluster, ofChart),
      cacheKind(kinds.KubeadmControlPlane, ofChart),
      cacheKind(kinds.Machine, ofChart),
    ],
    uses: [...clusterUses(parts), ...admissions.uses],
    setup: (manager) => {
      addAzimuthMetrics(metrics, manager.cache, kinds);
      manager.add(tenants);
    },
  };
}
