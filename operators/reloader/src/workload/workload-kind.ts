/** The kinds that can be reloaded. */
export const workloadKindNames = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "Rollout",
  "DeploymentConfig",
  "CronJob",
  "Job",
] as const;

export type WorkloadKindName = (typeof workloadKindNames)[number];

/** Names a workload; the key of the controller that reloads. */
export interface WorkloadRef {
  readonly kind: WorkloadKindName;
  readonly namespace: string;
  readonly name: string;
}

/** Such as `Deployment shop/web`. */
export function formatWorkload({ kind, namespace, name }: WorkloadRef): string {
  return `${kind} ${namespace}/${name}`;
}
