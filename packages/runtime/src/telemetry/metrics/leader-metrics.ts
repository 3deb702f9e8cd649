import type { LeaderObserver } from "../../leader/leader-elector.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** The metrics of leader election, by the name of the Lease [MX3]. */
export function leaderMetrics(registry: MetricsRegistry): (name: string) => LeaderObserver {
  const status = registry.gauge({
    name: "leader_election_master_status",
    help: "Whether this replica leads: 1, or 0 if it waits.",
    labels: ["name"],
  });
  const slowPaths = registry.counter({
    name: "leader_election_slowpath_total",
    help: "How often the leader had to read its Lease before it could renew it.",
    labels: ["name"],
  });
  return (name) => {
    const isLeading = status.with(name);
    const slowPath = slowPaths.with(name);
    return {
      leaderChanged: (isLeader) => isLeading.set(isLeader ? 1 : 0),
      slowPathTaken: () => slowPath.add(),
    };
  };
}
