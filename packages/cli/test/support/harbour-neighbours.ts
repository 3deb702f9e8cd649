import { ConfigMap } from "keelson/kinds/core/v1";
import type { NeighbourContext, SampleNeighbours } from "keelson/manager";

/** A second control plane, and what the operator has to know of it. */
export async function startNeighbours({
  client,
  startCluster,
  log,
}: NeighbourContext): Promise<SampleNeighbours> {
  const { url, issueKubeconfig } = await startCluster();
  const { users } = await issueKubeconfig("pilot", ["system:masters"]);
  await client.create(ConfigMap, { metadata: { namespace: "default", name: "harbour" }, data: { url } });
  log.warn("the harbour is open");
  return {
    settings: { tide: "high", harbour: { url, pilot: users?.[0]?.name ?? "missing" } },
    texts: { port: "Bristol" },
    [Symbol.asyncDispose]: async () => {
      // Both control planes are there until the end.
      await client.get(ConfigMap, { namespace: "default", name: "harbour" });
      log.warn("the harbour is closed");
    },
  };
}
