import type { ApplyConfiguration, Stored } from "keelson";
import type { HorizontalPodAutoscaler } from "keelson/kinds/autoscaling/v2";
import { labelsOf } from "../../api/labels.ts";
import type { WebAppAutoscaling } from "../../api/spec.ts";
import type { WebApp } from "../../api/web-app.ts";

export function makeAutoscaler(
  webapp: Stored<WebApp>,
  autoscaling: WebAppAutoscaling,
): ApplyConfiguration<HorizontalPodAutoscaler> {
  const name = webapp.metadata.name;
  const { minReplicas, maxReplicas, targetCPUUtilizationPercentage } = autoscaling;
  const target = { type: "Utilization", averageUtilization: targetCPUUtilizationPercentage };
  return {
    metadata: { name, labels: labelsOf(webapp) },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas,
      maxReplicas,
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    },
  };
}
