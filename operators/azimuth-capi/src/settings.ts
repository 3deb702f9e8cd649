import { parseDurationMs, z } from "keelson";
import { dnsLabelProblem, dnsSubdomainProblem } from "keelson/low-level";
import { parseVersion } from "./semver/version.ts";

const apiVersion = z
  .string()
  .regex(/^[a-z0-9.-]+\/[a-z0-9]+$/, {
    error: "write a group and a version, such as identity.azimuth.stackhpc.com/v1alpha1",
  })
  .meta({ placeholder: "GROUP/VERSION" });

const kindVersion = z
  .string()
  .regex(/^v[a-z0-9]+$/, { error: "write a version such as v1beta1" })
  .meta({ placeholder: "VERSION" });

const domain = z
  .string()
  .refine((text) => dnsSubdomainProblem(text) === undefined, {
    error: "write a domain such as azimuth.stackhpc.com",
  })
  .meta({ placeholder: "DOMAIN" });

/** As the original makes them: a host alone ends with `/`. */
const httpUrl = z.url({
  protocol: /^https?$/,
  normalize: true,
  error: "write a URL that begins with http:// or https://",
});

/** One that may hold a password. */
const hiddenUrl = httpUrl.meta({ sensitive: true });

const chartVersion = z
  .string()
  .refine((text) => parseVersion(text) !== undefined, { error: "write a version such as 1.2.3" })
  .meta({ placeholder: "VERSION" });

const seconds = z.number().positive().meta({ placeholder: "SECONDS" });

/** Values of charts, which may hold secrets. */
const values = z.record(z.string(), z.unknown()).meta({ sensitive: true });

/** A number of seconds, or a duration such as `1h`, in milliseconds. */
const timeout = z
  .union([z.number(), z.string()])
  .prefault("1h")
  .transform((given, context): number => {
    const isNumber = typeof given === "number" || /^\d+$/.test(given);
    const ms = isNumber ? Number(given) * 1000 : parseDurationMs(given);
    if (ms !== undefined && ms >= 1_000) return Math.round(ms);
    context.addIssue({
      code: "custom",
      message: "write seconds, or a time of at least 1s, such as 1h",
      input: given,
    });
    return z.NEVER;
  })
  .meta({ placeholder: "TIME" });

const entries = z.array(z.string().min(1)).default([]);

const policyRule = z.strictObject({
  // The empty group is the one of Pods and Secrets.
  apiGroups: z.array(z.string()).default([]),
  resources: entries,
  resourceNames: entries,
  nonResourceURLs: entries,
  verbs: entries,
});

const helmClient = z.object({
  executable: z.string().min(1).default("helm").describe("the program of Helm 3.17 or later, or 4"),
  defaultTimeout: timeout.describe("how long Helm may take for one command"),
  historyMaxRevisions: z
    .int()
    .min(0)
    .default(10)
    .describe("how many revisions of a release Helm keeps; 0 for all"),
  insecureSkipTlsVerify: z
    .boolean()
    .default(false)
    .describe("whether Helm does not verify the certificate of the API server"),
  unpackDirectory: z
    .string()
    .min(1)
    .optional()
    .describe("where charts are unpacked; default: the folder for temporary files"),
});

const capiHelm = z.object({
  chartName: z
    .string()
    .min(1)
    .default("/charts/openstack-cluster")
    .describe("the chart of clusters: a folder, or a name in the repository"),
  chartRepository: hiddenUrl.optional().describe("the repository of the chart"),
  chartVersion: chartVersion.optional().describe("the version of the chart; default: the newest"),
  defaultValues: values.default({}).describe("values for all clusters; those of their templates win"),
  flavorSpecificNodeGroupOverrides: z
    .record(z.string(), values)
    .meta({ sensitive: true })
    .default({})
    .describe("values for node groups whose flavor matches a pattern such as bm.*"),
});

const zenith = z
  .object({
    registrarAdminUrl: hiddenUrl.optional().describe("the registrar of Zenith; switches Zenith on"),
    sshdHost: z.string().min(1).optional().describe("the host of Zenith's SSH server"),
    sshdPort: z.int().min(1).max(65_535).default(22).describe("the port of Zenith's SSH server"),
    apiserverChartName: z
      .string()
      .min(1)
      .default("/charts/zenith-apiserver")
      .describe("the chart of what connects an API server to Zenith"),
    operatorChartName: z
      .string()
      .min(1)
      .default("/charts/zenith-operator")
      .describe("the chart of Zenith's operator"),
    chartRepository: hiddenUrl.optional().describe("the repository of both charts"),
    chartVersion: chartVersion.optional().describe("the version of both charts; default: the newest"),
    apiserverDefaults: values.default({}).describe("values for the chart of API servers"),
    operatorDefaults: values.default({}).describe("values for the chart of Zenith's operator"),
    monitoringIconUrl: httpUrl
      .default(
        "https://raw.githubusercontent.com/cncf/artwork/master/projects/prometheus/icon/color/prometheus-icon-color.png",
      )
      .describe("the icon of the monitoring of a cluster"),
    apiVersion: apiVersion
      .default("zenith.stackhpc.com/v1alpha1")
      .describe("the version of Zenith's kinds in tenant clusters"),
  })
  .superRefine(({ registrarAdminUrl, sshdHost }, context) => {
    if ((registrarAdminUrl === undefined) === (sshdHost === undefined)) return;
    const missing = registrarAdminUrl === undefined ? "registrarAdminUrl" : "sshdHost";
    context.addIssue({
      code: "custom",
      path: [missing],
      message: "registrarAdminUrl and sshdHost belong together; set both, or neither",
    });
  });

const identity = z.object({
  oidcEnabled: z.boolean().default(false).describe("whether users log in to clusters by OIDC"),
  apiVersion: apiVersion
    .default("identity.azimuth.stackhpc.com/v1alpha1")
    .describe("the version of the kinds Realm, OIDCClient and Platform"),
  clusterOidcClientIdTemplate: nameTemplate("cluster_name")
    .default("kube-{cluster_name}")
    .describe("the name of the OIDCClient of a cluster"),
  clusterPlatformNameTemplate: nameTemplate("cluster_name")
    .default("kube-{cluster_name}")
    .describe("the name of the Platform of a cluster"),
  appPlatformNameTemplate: nameTemplate("app_name")
    .default("kubeapp-{app_name}")
    .describe("the name of the Platform of an app"),
  defaultUserNamespaceRole: z
    .object({
      name: z
        .string()
        .min(1)
        .default("oidc:default-users-namespaced")
        .describe("the role that users of a platform have in some namespaces"),
      namespaces: entries.describe("the namespaces in which they have it"),
      rules: z.array(policyRule).default([]).describe("what it allows there"),
    })
    .optional(),
  defaultUserClusterRole: z
    .object({
      name: z
        .string()
        .min(1)
        .default("oidc:default-users-cluster")
        .describe("the role that users of a platform have in the whole cluster"),
      rules: z.array(policyRule).default([]).describe("what it allows everywhere"),
    })
    .optional(),
});

/** A text with the name of something in braces that is the name of an object. */
function nameTemplate(variable: string): z.ZodString {
  const part = `{${variable}}`;
  return z
    .string()
    .refine(
      (text) => text.includes(part) && dnsSubdomainProblem(text.replaceAll(part, "name")) === undefined,
      { error: `write a name that contains ${part}, such as kube-${part}` },
    )
    .meta({ placeholder: "TEMPLATE" });
}

/** The settings of the operator, named as those of the original. */
export const settings = z.object({
  apiGroup: domain
    .default("azimuth.stackhpc.com")
    .describe("the group of the kinds Cluster, ClusterTemplate and AppTemplate"),
  crdCategories: z
    .array(
      z.string().refine((text) => dnsLabelProblem(text) === undefined, {
        error: "write names of lower-case letters and digits",
      }),
    )
    .default(["azimuth"])
    .describe("the categories of these kinds, for kubectl get"),
  annotationPrefix: domain
    .default("azimuth.stackhpc.com")
    .describe("the prefix of the finalizer and of the annotation with the last handled configuration"),
  timerInterval: seconds
    .default(60)
    .describe("how often Clusters are looked at that are not ready, and charts of AppTemplates"),
  clusterTimeoutSeconds: seconds.default(1800).describe("after so long in transition a Cluster is unhealthy"),
  easykubeFieldManager: z
    .string()
    .min(1)
    .max(128)
    .default("azimuth-capi-operator")
    .describe("the field manager of what the operator applies"),
  helmClient: helmClient.prefault({}),
  capiHelm: capiHelm.prefault({}),
  clusterApi: z
    .object({
      version: kindVersion.default("v1beta1").describe("the version of Cluster API's kinds"),
      infrastructureVersion: kindVersion
        .default("v1beta1")
        .describe("the version of the kinds of its provider for OpenStack"),
    })
    .prefault({}),
  zenith: zenith.prefault({}),
  identity: identity.prefault({}),
});

export type AzimuthSettings = z.output<typeof settings>;
export type HelmSettings = AzimuthSettings["helmClient"];
type ZenithSettings = AzimuthSettings["zenith"];
export type PolicyRule = z.output<typeof policyRule>;

/** Zenith with what it cannot do without. */
export interface EnabledZenith extends ZenithSettings {
  readonly registrarAdminUrl: string;
  readonly sshdHost: string;
}

/** Zenith's settings if it is switched on. */
export function enabledZenith({
  zenith: chosen,
}: Pick<AzimuthSettings, "zenith">): EnabledZenith | undefined {
  const { registrarAdminUrl, sshdHost } = chosen;
  return registrarAdminUrl === undefined || sshdHost === undefined
    ? undefined
    : { ...chosen, registrarAdminUrl, sshdHost };
}
