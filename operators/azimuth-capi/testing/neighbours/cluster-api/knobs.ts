/** How the simulated cloud and Cluster API behave. */
export interface ClusterApiKnobs {
  /** How long a Cluster is Pending before anything happens. */
  readonly pendingMs: number;
  /** How long a Cluster is Provisioning, until its network is there. Infinite: it is stuck. */
  readonly networkMs: number;
  /** How long a Machine is in each of Pending, Provisioning and Provisioned. */
  readonly machineMs: number;
  /** How long a Machine, and then the network, takes to be deleted. */
  readonly deletionMs: number;
  /** The phase of Clusters in place of the true one, such as `Failed`, or one that is not known. */
  readonly clusterPhase: string | undefined;
  /** The phase of Machines in place of the true one. */
  readonly machinePhase: string | undefined;
  /** Machines, by a part of their names, whose nodes are not healthy. */
  readonly unhealthyNodes: readonly string[];
  /** Whether the components of control planes are healthy. */
  readonly hasHealthyComponents: boolean;
  /** A reason for which a control plane that has all its machines is not ready. */
  readonly controlPlaneProblem: string | undefined;
}

export const clusterApiDefaults: ClusterApiKnobs = {
  ...{ pendingMs: 30, networkMs: 60, machineMs: 30, deletionMs: 30 },
  ...{ clusterPhase: undefined, machinePhase: undefined },
  unhealthyNodes: [],
  hasHealthyComponents: true,
  controlPlaneProblem: undefined,
};
