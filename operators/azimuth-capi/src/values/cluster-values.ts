import { isRecord } from "keelson/low-level";
import type { ClusterAddons, ClusterSpec, NodeGroup } from "../api/cluster.ts";
import type { ClusterTemplateSpec } from "../api/cluster-template.ts";
import type { Values } from "../helm/helm.ts";
import type { AzimuthSettings } from "../settings.ts";
import { defaultRbacManifests, type PlatformGroups } from "./default-rbac.ts";
import { matchesGlob } from "./glob.ts";
import { mergeConcat } from "./merge-concat.ts";

/** What a cluster must know of the identity operator so that users can log in by OIDC. */
export interface OidcValues extends PlatformGroups {
  readonly issuerUrl: string;
  readonly clientId: string;
}

/** What the values of a cluster are made of. */
export interface ClusterValuesInput {
  readonly settings: Pick<AzimuthSettings, "capiHelm" | "identity">;
  readonly template: Pick<ClusterTemplateSpec, "values">;
  readonly spec: ClusterSpec;
  /** Undefined if users do not log in by OIDC. */
  readonly oidc: OidcValues | undefined;
  /** Of the Lease: from the flavors of the spec to those that are reserved; undefined without a Lease. */
  readonly sizeNameMap: Readonly<Record<string, string>> | undefined;
  /** Undefined if Zenith is switched off. */
  readonly zenith: Values | undefined;
}

/**
 * The values of the Helm release of a cluster: those of the settings, of the template and of the spec, in which each wins over
 * those before it, and then what depends on the flavors. They are the same for the same input, and have no nulls but those of
 * an administrator, for which the chart drops its own defaults.
 */
export function clusterValues(input: ClusterValuesInput): Values {
  const { settings, template, sizeNameMap, zenith } = input;
  const { defaultValues, flavorSpecificNodeGroupOverrides: overrides } = settings.capiHelm;
  const merged = mergeConcat(defaultValues, template.values, valuesOfSpec(input));
  const overridden = mapNodeGroups(merged, (group) => withOverrides(group, overrides));
  const leased = sizeNameMap === undefined ? overridden : withReservedFlavors(overridden, sizeNameMap);
  return zenith === undefined ? leased : mergeConcat(leased, zenith);
}

function valuesOfSpec({ settings, spec, oidc }: ClusterValuesInput): Values {
  const healthCheck = { enabled: spec.autohealing };
  const rbac = oidc && defaultRbacManifests(settings.identity, oidc);
  return {
    cloudCredentialsSecretName: spec.cloudCredentialsSecretName,
    ...(oidc && { oidc: valuesOfOidc(oidc) }),
    controlPlane: { machineFlavor: spec.controlPlaneMachineSize, healthCheck },
    nodeGroupDefaults: { healthCheck },
    // Also if there are none: the chart has a group of its own otherwise.
    nodeGroups: spec.nodeGroups.map(valuesOfNodeGroup),
    addons: {
      ...{ ingress: valuesOfIngress(spec.addons), monitoring: valuesOfMonitoring(spec.addons) },
      ...(rbac && { custom: { "oidc-default-rbac": manifestsAddon("oidc-system", rbac) } }),
    },
  };
}

function valuesOfOidc({ issuerUrl, clientId }: OidcValues): Values {
  return { issuerUrl, clientId, usernameClaim: "preferred_username" };
}

/** A custom addon of the chart: manifests, by file name, that are installed as a release in a namespace. */
export function manifestsAddon(namespace: string, manifests: Values): Values {
  return { kind: "Manifests", spec: { namespace, manifests } };
}

function valuesOfNodeGroup({ name, machineSize, autoscale, count, minCount, maxCount }: NodeGroup): Values {
  const group = { name, machineFlavor: machineSize, autoscale };
  return autoscale
    ? {
        ...group,
        ...(minCount !== undefined && { machineCountMin: minCount }),
        ...(maxCount !== undefined && { machineCountMax: maxCount }),
      }
    : { ...group, ...(count !== undefined && { machineCount: count }) };
}

/** The address is for whichever ingress controller the template chooses. */
function valuesOfIngress({
  ingress,
  ingressControllerLoadBalancerIp: loadBalancerIP,
}: ClusterAddons): Values {
  return {
    enabled: ingress,
    ...(loadBalancerIP && {
      nginx: { release: { values: { controller: { service: { loadBalancerIP } } } } },
      traefik: { release: { values: { service: { spec: { loadBalancerIP } } } } },
    }),
  };
}

function valuesOfMonitoring(addons: ClusterAddons): Values {
  if (!addons.monitoring) return { enabled: false };
  const claim = (gigabytes: number): Values => ({
    volumeClaimTemplate: { spec: { resources: { requests: { storage: `${gigabytes}Gi` } } } },
  });
  const alertmanagerSpec = { storage: claim(addons.monitoringAlertmanagerVolumeSize) };
  const prometheusSpec = { storageSpec: claim(addons.monitoringPrometheusVolumeSize) };
  const persistence = { size: `${addons.monitoringLokiVolumeSize}Gi` };
  return {
    enabled: true,
    kubePrometheusStack: {
      release: { values: { alertmanager: { alertmanagerSpec }, prometheus: { prometheusSpec } } },
    },
    lokiStack: { release: { values: { loki: { persistence } } } },
  };
}

/** Those of the template as well as those of the spec. */
function mapNodeGroups(values: Values, change: (group: Values) => Values): Values {
  const { nodeGroups } = values;
  if (!Array.isArray(nodeGroups)) return values;
  return { ...values, nodeGroups: nodeGroups.map((group) => (isRecord(group) ? change(group) : group)) };
}

/** Matches the flavor that users chose: the reserved ones of a Lease have names that mean nothing. */
function withOverrides(group: Values, overrides: Readonly<Record<string, Values>>): Values {
  const { machineFlavor } = group;
  if (typeof machineFlavor !== "string") return group;
  const matching = Object.entries(overrides).filter(([pattern]) => matchesGlob(pattern, machineFlavor));
  return mergeConcat(group, ...matching.map(([, values]) => values));
}

function withReservedFlavors(values: Values, sizeNameMap: Readonly<Record<string, string>>): Values {
  const { controlPlane } = values;
  const reserved = (part: Values): Values => {
    const { machineFlavor } = part;
    return typeof machineFlavor === "string" && Object.hasOwn(sizeNameMap, machineFlavor)
      ? { ...part, machineFlavor: sizeNameMap[machineFlavor] }
      : part;
  };
  return mapNodeGroups(
    { ...values, ...(isRecord(controlPlane) && { controlPlane: reserved(controlPlane) }) },
    reserved,
  );
}
