import { managedBy, managedByLabel, serviceIconAnnotation, serviceLabelAnnotation } from "../api/names.ts";
import type { Values } from "../helm/helm.ts";
import type { EnabledZenith } from "../settings.ts";
import { manifestsAddon } from "../values/cluster-values.ts";
import { yamlText } from "../yaml-text.ts";

const name = "kube-prometheus-stack-client";
/** The Service of Grafana, and the Secret with the password of its administrator. */
const grafana = "kube-prometheus-stack-grafana";

/** The values that show the monitoring of a cluster to its users: an addon that connects Grafana to Zenith. */
export function monitoringClientValues(
  zenith: Pick<EnabledZenith, "apiVersion" | "monitoringIconUrl">,
): Values {
  const manifests = { "zenith-client.yaml": yamlText(reservation(zenith), client(zenith)) };
  return { addons: { custom: { [name]: manifestsAddon("monitoring-system", manifests) } } };
}

function reservation({
  apiVersion,
  monitoringIconUrl,
}: Pick<EnabledZenith, "apiVersion" | "monitoringIconUrl">) {
  const annotations = {
    [serviceLabelAnnotation]: "Monitoring",
    [serviceIconAnnotation]: monitoringIconUrl,
  };
  return {
    ...{ apiVersion, kind: "Reservation" },
    metadata: { name, labels: { [managedByLabel]: managedBy }, annotations },
    spec: { credentialSecretName: `${name}-zenith-credential` },
  };
}

/** Zenith decides who may see it, so that the proxy logs in to Grafana by itself. */
function client({ apiVersion }: Pick<EnabledZenith, "apiVersion">) {
  const basic = { secretName: grafana, usernameKey: "admin-user", passwordKey: "admin-password" };
  return {
    ...{ apiVersion, kind: "Client" },
    metadata: { name, labels: { [managedByLabel]: managedBy } },
    spec: {
      reservationName: name,
      upstream: { serviceName: grafana, port: 80, scheme: "http" },
      mitmProxy: { enabled: true, authInject: { type: "Basic", basic } },
    },
  };
}
