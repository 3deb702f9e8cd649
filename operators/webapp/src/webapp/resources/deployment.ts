import type { ApplyConfiguration, Stored } from "keelson";
import { textResources } from "keelson";
import type { Deployment } from "keelson/kinds/apps/v1";
import type { Container } from "keelson/kinds/core/v1";
import { imagePullPolicyOf } from "keelson/object";
import { labelsOf, selectorLabels } from "../../api/labels.ts";
import type { WebApp } from "../../api/web-app.ts";
import { portName } from "./service.ts";

const containerName = "web";

/** The desired Deployment. Without `replicas` it does not state the number of pods, which an autoscaler chooses. */
export function makeDeployment(
  webapp: Stored<WebApp>,
  replicas: number | undefined,
): ApplyConfiguration<Deployment> {
  const { imagePullSecrets, serviceAccountName = "" } = webapp.spec;
  const labels = labelsOf(webapp);
  return {
    metadata: { name: webapp.metadata.name, labels },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: selectorLabels(webapp) },
      template: {
        metadata: { labels },
        spec: {
          containers: [makeContainer(webapp)],
          ...(imagePullSecrets !== undefined && { imagePullSecrets }),
          // An empty name is stated too: an account that another writer chose would run the pods with its permissions.
          serviceAccountName,
        },
      },
    },
  };
}

function makeContainer({ spec }: WebApp): Container {
  const { image, port, env, envFrom, resources, livenessProbe, readinessProbe, startupProbe } = spec;
  return {
    name: containerName,
    image,
    imagePullPolicy: imagePullPolicyOf(image),
    ports: [{ name: portName, containerPort: port, protocol: "TCP" }],
    ...(env !== undefined && { env }),
    ...(envFrom !== undefined && { envFrom }),
    ...(resources !== undefined && { resources: textResources(resources) }),
    ...(livenessProbe !== undefined && { livenessProbe }),
    ...(readinessProbe !== undefined && { readinessProbe }),
    ...(startupProbe !== undefined && { startupProbe }),
  };
}
