import { KeelsonError } from "keelson";
import { isRecord } from "keelson/low-level";
import { namesOf } from "../api/names.ts";
import type { Values } from "../helm/helm.ts";
import type { EnabledZenith } from "../settings.ts";
import { mergeConcat } from "../values/merge-concat.ts";
import { parseYaml } from "../yaml-text.ts";

/** The credentials of a cloud do not say to which project they belong. */
export class CloudCredentialsError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.CloudCredentialsError";
  readonly code = "CLOUD_CREDENTIALS";

  constructor() {
    super(
      "read the credentials of the cloud: clouds.yaml has no text at clouds.openstack.auth.project_id; add the id of the project",
    );
  }
}

/** What the Zenith operator of a cluster is made of. */
export interface ZenithOperatorValuesInput {
  readonly zenith: EnabledZenith;
  /** The name of the Cluster. */
  readonly cluster: string;
  /** The credentials of the cloud that the cluster is in. */
  readonly cloudsYaml: string;
}

/**
 * What the chart of the Zenith operator is rendered with. It runs beside the Cluster, and not in the cluster of the tenant,
 * whose kubeconfig it gets. All services that it connects may be used by members of the project alone.
 */
export function zenithOperatorValues({ zenith, cluster, cloudsYaml }: ZenithOperatorValuesInput): Values {
  const { registrarAdminUrl, sshdHost, sshdPort } = zenith;
  const authParams = { "tenancy-id": projectOf(cloudsYaml) };
  return mergeConcat(zenith.operatorDefaults, {
    kubeconfigSecret: { name: namesOf(cluster).kubeconfigSecret, key: "value" },
    config: {
      ...{ registrarAdminUrl, sshdHost, sshdPort },
      // The second name is that of Zenith before 2022. Either version ignores the other one.
      ...{ defaultExternalAuthParams: authParams, defaultAuthParams: authParams },
    },
  });
}

/** Read as a text: an id such as `4e10` must not become a number. */
function projectOf(cloudsYaml: string): string {
  const path = ["clouds", "openstack", "auth", "project_id"];
  const project = path.reduce<unknown>(
    (value, key) => (isRecord(value) ? value[key] : undefined),
    parseYaml(cloudsYaml, "the credentials of the cloud", "texts"),
  );
  if (typeof project !== "string" || project === "") throw new CloudCredentialsError();
  return project;
}
