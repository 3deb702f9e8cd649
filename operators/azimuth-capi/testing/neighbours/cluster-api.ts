import { defineOperator, formatKey, type ObjectKey, type Operator, type Random } from "keelson";
import { stringify } from "yaml";
import type { Knobs, Pace } from "../knobs.ts";
import type { TenantProvider } from "../tenants.ts";
import { clusterController, networkController } from "./cluster-api/clusters.ts";
import { controlPlaneController, type Kubeconfigs } from "./cluster-api/control-plane.ts";
import type { ClusterApiKnobs } from "./cluster-api/knobs.ts";
import { machineController } from "./cluster-api/machines.ts";
import { workerGroupController } from "./cluster-api/worker-groups.ts";

export interface ClusterApiParts {
  readonly knobs: Knobs<ClusterApiKnobs>;
  readonly pace: Pace;
  readonly random: Random;
  readonly kubeconfigs: Kubeconfigs;
}

/** Cluster API with kubeadm and OpenStack, without a cloud behind it. */
export function clusterApiOperator({ knobs, pace, random, kubeconfigs }: ClusterApiParts): Operator {
  return defineOperator({
    name: "cluster-api",
    controllers: [
      clusterController(knobs, pace),
      networkController(knobs, pace),
      controlPlaneController({ knobs, kubeconfigs, random }),
      workerGroupController(random),
      machineController(knobs, pace),
    ],
  });
}

/** The kubeconfigs of the tenant clusters: each keeps its own until it is rotated. */
export class TenantKubeconfigs implements Kubeconfigs {
  readonly #tenants: TenantProvider;
  readonly #texts = new Map<string, Promise<string>>();

  constructor(tenants: TenantProvider) {
    this.#tenants = tenants;
  }

  current(cluster: ObjectKey): Promise<string> {
    const key = formatKey(cluster);
    const text = this.#texts.get(key) ?? this.#issue(cluster);
    this.#texts.set(key, text);
    return text;
  }

  /** The next one is another. */
  forget(cluster: ObjectKey): void {
    this.#texts.delete(formatKey(cluster));
  }

  async #issue(cluster: ObjectKey): Promise<string> {
    const issued = await this.#tenants.issueKubeconfig(cluster);
    return stringify(issued);
  }
}
