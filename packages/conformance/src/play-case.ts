import type { Clock } from "@keelson/core";
import type { ConformanceCase } from "./conformance-case.ts";
import { normalise } from "./normalise.ts";
import { Stage, type Transcript } from "./stage.ts";
import type { World } from "./world.ts";

/**
 * Plays a case on one control plane, in a namespace that is made for it, and gives what it saw, normalised. The
 * namespace has the same name on each control plane.
 */
export async function playCase(
  { run }: ConformanceCase,
  world: World,
  namespace: string,
  clock: Clock,
): Promise<Transcript> {
  const stage = new Stage(world, namespace, clock);
  await stage.quietly({
    method: "POST",
    path: "/api/v1/namespaces",
    body: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }),
  });
  // Controllers make them, at any time: pods need the one, and lists of ConfigMaps hold the other.
  for (const made of ["serviceaccounts/default", "configmaps/kube-root-ca.crt"])
    await stage.until(stage.path(made), (object) => JSON.stringify(object).includes('"uid"'));
  await run(stage);
  return normalise(stage.transcript);
}
