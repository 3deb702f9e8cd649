import type { ApplyConfiguration, Stored } from "keelson";
import type { Service } from "keelson/kinds/core/v1";
import { labelsOf, selectorLabels } from "../../api/labels.ts";
import type { WebApp } from "../../api/web-app.ts";

/** The port of the container and of the Service. The Service refers to it by name, because its number may differ between pods during a rollout. */
export const portName = "http";

export function makeService(webapp: Stored<WebApp>): ApplyConfiguration<Service> {
  const { port, serviceType } = webapp.spec;
  return {
    metadata: { name: webapp.metadata.name, labels: labelsOf(webapp) },
    spec: {
      type: serviceType,
      selector: selectorLabels(webapp),
      ports: [{ name: portName, port, protocol: "TCP", targetPort: portName }],
    },
  };
}
