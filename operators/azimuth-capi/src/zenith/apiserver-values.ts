import { type GenericObject, KeelsonError } from "keelson";
import { isRecord } from "keelson/low-level";
import type { Values } from "../helm/helm.ts";
import type { EnabledZenith } from "../settings.ts";
import { mergeConcat } from "../values/merge-concat.ts";
import { yamlText } from "../yaml-text.ts";
import { monitoringClientValues } from "./monitoring-client.ts";

/** The chart of Zenith's client for API servers did not render what is needed of it. */
export class ZenithChartError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.ZenithChartError";
  readonly code = "ZENITH_CHART";

  constructor(missing: string) {
    super(`connect an API server to Zenith: the chart has not rendered ${missing}; use another chart`);
  }
}

/** What the chart of Zenith's client for API servers is rendered with. */
export function apiServerChartValues(
  { apiserverDefaults, sshdHost: host, sshdPort: port }: EnabledZenith,
  privateKeyBase64: string,
): Values {
  return mergeConcat(apiserverDefaults, {
    zenithClient: { sshPrivateKeyData: privateKeyBase64, server: { host, port } },
  });
}

/** What the values of a cluster with Zenith are made of. */
export interface ZenithValuesInput {
  readonly zenith: Pick<EnabledZenith, "apiVersion" | "monitoringIconUrl">;
  /** Of the place that is reserved for the API server. */
  readonly fqdn: string;
  /** What the chart of the client for API servers renders. */
  readonly rendered: readonly GenericObject[];
  /** Whether the cluster has monitoring, which is then reached through Zenith, too. */
  readonly monitoring: boolean;
}

/**
 * The values of a cluster whose API server is reached through Zenith: it has neither a load balancer nor a floating IP.
 * Instead, a static pod on each machine of the control plane connects to Zenith's SSH server.
 */
export function zenithValues({ zenith, fqdn, rendered, monitoring }: ZenithValuesInput): Values {
  const apiServer: Values = {
    controlPlaneEndpoint: { host: fqdn, port: 443 },
    apiServer: { enableLoadBalancer: false, associateFloatingIP: false },
    controlPlane: { kubeadmConfigSpec: { useExperimentalRetryJoin: true, files: filesOf(rendered) } },
  };
  return monitoring ? mergeConcat(apiServer, monitoringClientValues(zenith)) : apiServer;
}

/** The static pod and its configuration, as files of the machines. */
function filesOf(rendered: readonly GenericObject[]): readonly Values[] {
  const pod = rendered.find(({ kind }) => kind === "Pod");
  if (pod === undefined) throw new ZenithChartError("a Pod");
  const configMap = rendered.find(({ kind }) => kind === "ConfigMap");
  const data = configMap?.data;
  if (!isRecord(data)) throw new ZenithChartError("a ConfigMap with data");
  // Sorted, since the order of files is a part of the values.
  const names = Object.keys(data).sort();
  return [
    file("/etc/kubernetes/manifests/zenith-apiserver.yaml", yamlText(pod)),
    ...names.map((name) => file(`/etc/zenith/${name}`, String(data[name]))),
  ];
}

/** The configuration has the private key, so that only root may read it. */
function file(path: string, content: string): Values {
  return {
    ...{ path, content: Buffer.from(content).toString("base64"), encoding: "base64" },
    ...{ owner: "root:root", permissions: "0600" },
  };
}
