import type { StartController } from "../controller.ts";
import { startCronJobController } from "./cronjob/cron-job-controller.ts";
import { startDaemonSetController } from "./daemonset/daemon-set-controller.ts";
import { startDeploymentController } from "./deployment/deployment-controller.ts";
import { startJobController } from "./job/job-controller.ts";
import { startTtlAfterFinishedController } from "./job/ttl-controller.ts";
import {
  startReplicaSetController,
  startReplicationControllerController,
} from "./replicaset/replica-controller.ts";
import { startStatefulSetController } from "./statefulset/stateful-set-controller.ts";

/** Everything that makes pods of workloads. */
export const workloadControllers: readonly StartController[] = [
  startReplicaSetController,
  startReplicationControllerController,
  startDeploymentController,
  startStatefulSetController,
  startDaemonSetController,
  startJobController,
  startTtlAfterFinishedController,
  startCronJobController,
];
