import type { GenericObject, SampleProgress } from "keelson";
import { kindsOf } from "./kinds.ts";
import { settings } from "./settings.ts";

const { Cluster, AppTemplate } = kindsOf(settings.parse({}));

/** The progress of sample Clusters, templates and apps, for `keelson dev`. */
export function azimuthProgress({ kind, status }: GenericObject): SampleProgress {
  if (kind === Cluster.kind) return clusterProgress(status);
  if (kind === AppTemplate.kind) return appTemplateProgress(status);
  return { phase: "Offered", isSettled: true };
}

function clusterProgress(status: unknown): SampleProgress {
  const { phase = "Unknown", nodes = {} } = Cluster.schemas.status.safeParse(status).data ?? {};
  const all = Object.values(nodes);
  const ready = all.filter((node) => node.phase === "Ready").length;
  return {
    phase,
    ...(all.length > 0 && { ready: `${ready}/${all.length}` }),
    isSettled: phase === "Ready",
    ...(phase === "Failed" && { problem: "the cluster has failed" }),
  };
}

function appTemplateProgress(status: unknown): SampleProgress {
  const { versions = [], lastSync } = AppTemplate.schemas.status.safeParse(status).data ?? {};
  return lastSync
    ? { phase: "Synced", ready: `${versions.length}`, isSettled: true }
    : { phase: "Syncing", isSettled: false };
}
