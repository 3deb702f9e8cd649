import { deepEqual } from "keelson";
import { runPod } from "./run-pod.ts";
import type { PodDecision, PodSituation } from "./situation.ts";
import { stopPod } from "./stop-pod.ts";

/** What a hollow node does with a pod that is bound to it. Decided again from the result, it gives nothing to do. */
export function decidePod(situation: PodSituation): PodDecision {
  const { status, ...decision } = decide(situation);
  return status === undefined || deepEqual(status, situation.pod.status) ? decision : { ...decision, status };
}

function decide(situation: PodSituation): PodDecision {
  const { metadata, status } = situation.pod;
  if (metadata.deletionTimestamp !== undefined) return stopPod(situation);
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return {};
  return situation.node.isReady ? runPod(situation) : {};
}
