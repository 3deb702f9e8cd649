import type { Draft } from "@keelson/core";
import type {
  Container,
  DownwardAPIVolumeFile,
  EnvVar,
  LifecycleHandler,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Probe,
  Volume,
  VolumeProjection,
} from "@keelson/core/kinds/core/v1";
import type { Given, GivenDraft } from "../builtin-strategy.ts";
import { setClaimSpecDefaults } from "../storage/claim-validation.ts";
import { fillAmounts, normalizeAmounts, readAmount } from "./resource-requirements.ts";

/** Beside what every spec gets, pods (not templates) request what they are limited to, and more. */
export function setPodDefaults(pod: GivenDraft<Pod>): void {
  pod.spec ??= {};
  const { spec } = pod;
  setPodSpecDefaults(spec);
  for (const container of spec.containers ?? []) requestLimits(container);
  for (const container of spec.initContainers ?? []) requestLimits(container);
  requestPodLimits(spec);
  if (spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0) {
    spec.terminationGracePeriodSeconds = 1;
  }
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) {
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      useHostPorts(container);
    }
  }
}

function requestLimits({ resources }: Draft<Given<Container>>): void {
  if (resources?.limits === undefined) return;
  resources.requests ??= {};
  fillAmounts(resources.limits, resources.requests);
}

/** Limits of the whole pod are requested too, where no container requests anything of the resource. */
function requestPodLimits({ resources, containers = [] }: Draft<Given<PodSpec>>): void {
  if (resources?.limits === undefined || Object.keys(resources.limits).length === 0) return;
  const requests = resources.requests ?? {};
  const requestedBelow = new Set(containers.flatMap((one) => Object.keys(one.resources?.requests ?? {})));
  for (const [name, amount] of Object.entries(resources.limits)) {
    if (!requestedBelow.has(name)) requests[name] ??= amount;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function useHostPorts({ ports = [] }: Draft<Given<Container>>): void {
  for (const port of ports) {
    if (port.containerPort !== undefined) port.hostPort ||= port.containerPort;
  }
}

type GivenSpec = Draft<Given<PodSpec>>;

/** What every spec of a pod gets, in pods and in templates. */
function setPodSpecDefaults(spec: GivenSpec): void {
  if (isEmpty(spec.dnsPolicy)) spec.dnsPolicy = "ClusterFirst";
  if (isEmpty(spec.restartPolicy)) spec.restartPolicy = "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  if (isEmpty(spec.schedulerName)) spec.schedulerName = "default-scheduler";
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of spec.initContainers ?? []) setContainerDefaults(container);
  for (const container of spec.containers ?? []) setContainerDefaults(container);
  for (const container of spec.ephemeralContainers ?? []) setContainerDefaults(container);
  normalizeAmounts(spec.overhead);
  if (spec.resources !== undefined) {
    normalizeAmounts(spec.resources.limits);
    normalizeAmounts(spec.resources.requests);
  }
  mirrorServiceAccount(spec);
}

/** The two names of the one field; the newer one wins. */
function mirrorServiceAccount(spec: GivenSpec): void {
  if (isEmpty(spec.serviceAccountName) && spec.serviceAccount !== undefined) {
    spec.serviceAccountName = spec.serviceAccount;
  }
  if (isEmpty(spec.serviceAccountName)) delete spec.serviceAccount;
  else if (spec.serviceAccount !== spec.serviceAccountName && spec.serviceAccountName !== undefined) {
    spec.serviceAccount = spec.serviceAccountName;
  }
}

export function setPodTemplateDefaults(template: Draft<Given<PodTemplateSpec>>): void {
  template.metadata ??= {};
  template.spec ??= {};
  setPodSpecDefaults(template.spec);
}

type GivenContainer = Draft<Given<Container>>;

/** Of containers, init containers and ephemeral containers alike. */
function setContainerDefaults(container: GivenContainer): void {
  if (isEmpty(container.imagePullPolicy)) {
    container.imagePullPolicy = defaultPullPolicy(container.image ?? "");
  }
  if (isEmpty(container.terminationMessagePath)) container.terminationMessagePath = "/dev/termination-log";
  if (isEmpty(container.terminationMessagePolicy)) container.terminationMessagePolicy = "File";
  container.resources ??= {};
  normalizeAmounts(container.resources.limits);
  normalizeAmounts(container.resources.requests);
  for (const port of container.ports ?? []) {
    if (isEmpty(port.protocol)) port.protocol = "TCP";
  }
  for (const variable of container.env ?? []) setVariableDefaults(variable);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHandlerDefaults(container.lifecycle?.postStart);
  setHandlerDefaults(container.lifecycle?.preStop);
}

function setVariableDefaults({ valueFrom }: Draft<Given<EnvVar>>): void {
  if (valueFrom?.fieldRef !== undefined && isEmpty(valueFrom.fieldRef.apiVersion)) {
    valueFrom.fieldRef.apiVersion = "v1";
  }
  if (valueFrom?.resourceFieldRef !== undefined) valueFrom.resourceFieldRef.divisor ??= "0";
  if (valueFrom?.fileKeyRef !== undefined) valueFrom.fileKeyRef.optional ??= false;
}

/** A zero is as good as nothing. */
function setProbeDefaults(probe: Draft<Given<Probe>> | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  if (probe.grpc !== undefined) probe.grpc.service ??= "";
  setHandlerDefaults(probe);
}

function setHandlerDefaults(handler: Pick<Draft<Given<LifecycleHandler>>, "httpGet"> | undefined): void {
  const get = handler?.httpGet;
  if (get === undefined) return;
  if (isEmpty(get.path)) get.path = "/";
  if (isEmpty(get.scheme)) get.scheme = "HTTP";
}

/** An empty text counts as an absent one. */
function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === "";
}

/** 0644 */
const defaultMode = 0o644;
const tokenSeconds = 3600;

/** A volume without a source is an empty directory. */
function setVolumeDefaults(volume: Draft<Given<Volume>>): void {
  if (Object.keys(volume).every((field) => field === "name")) volume.emptyDir = {};
  if (volume.configMap !== undefined) volume.configMap.defaultMode ??= defaultMode;
  if (volume.secret !== undefined) volume.secret.defaultMode ??= defaultMode;
  if (volume.hostPath !== undefined) volume.hostPath.type ??= "";
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= defaultMode;
    setFileDefaults(volume.downwardAPI.items);
  }
  if (volume.projected !== undefined) {
    volume.projected.defaultMode ??= defaultMode;
    for (const source of volume.projected.sources ?? []) setProjectionDefaults(source);
  }
  if (volume.image !== undefined && isEmpty(volume.image.pullPolicy)) {
    volume.image.pullPolicy = defaultPullPolicy(volume.image.reference ?? "");
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim !== undefined) {
    claim.metadata ??= {};
    claim.spec ??= {};
    setClaimSpecDefaults(claim.spec);
  }
  setRareVolumeDefaults(volume);
}

function setRareVolumeDefaults(volume: Draft<Given<Volume>>): void {
  if (volume.iscsi !== undefined && isEmpty(volume.iscsi.iscsiInterface)) {
    volume.iscsi.iscsiInterface = "default";
  }
  if (volume.rbd !== undefined) {
    if (isEmpty(volume.rbd.pool)) volume.rbd.pool = "rbd";
    if (isEmpty(volume.rbd.user)) volume.rbd.user = "admin";
    if (isEmpty(volume.rbd.keyring)) volume.rbd.keyring = "/etc/ceph/keyring";
  }
}

function setProjectionDefaults(source: Draft<Given<VolumeProjection>>): void {
  if (source.serviceAccountToken !== undefined) {
    source.serviceAccountToken.expirationSeconds ??= tokenSeconds;
  }
  setFileDefaults(source.downwardAPI?.items);
}

function setFileDefaults(files: Draft<Given<DownwardAPIVolumeFile>>[] | undefined): void {
  for (const file of files ?? []) {
    if (file.fieldRef !== undefined && isEmpty(file.fieldRef.apiVersion)) file.fieldRef.apiVersion = "v1";
    if (file.resourceFieldRef !== undefined) file.resourceFieldRef.divisor ??= "0";
  }
}

/** `Always` for images that may change under the same name: those without tag and digest, or tagged `latest`. */
function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  return hasMovingTag(image) ? "Always" : "IfNotPresent";
}

function hasMovingTag(image: string): boolean {
  if (image === "" || !imageReference.test(image)) return false;
  const [reference, digest] = image.split("@");
  const tag = /:([^/:]+)$/.exec(reference ?? image)?.[1];
  return tag === "latest" || (tag === undefined && digest === undefined);
}

/** What the server can read at all; of other texts it assumes nothing. */
const imageReference =
  /^([a-zA-Z0-9.[\]:-]+(:[0-9]+)?\/)?[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[\w][\w.-]{0,127})?(@[A-Za-z][A-Za-z0-9+.-]*:[0-9a-fA-F]{32,})?$/;

/**
 * How a pod is treated when resources are short: `Guaranteed` if every container has limits of CPU and memory and
 * requests just these, `BestEffort` if no container has requests or limits, `Burstable` otherwise.
 */
export function qosClassOf(spec: Given<PodSpec>): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers: readonly Pick<Given<Container>, "resources">[] =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      : [{ resources: spec.resources }];
  if (containers.every(asksForNothing)) return "BestEffort";
  return containers.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function asksForNothing({ resources = {} }: Pick<Given<Container>, "resources">): boolean {
  const { limits = {}, requests = {} } = resources;
  return ["cpu", "memory"].every((name) => isNothing(limits[name]) && isNothing(requests[name]));
}

function isGuaranteed({ resources = {} }: Pick<Given<Container>, "resources">): boolean {
  const { limits = {}, requests = {} } = resources;
  return ["cpu", "memory"].every((name) => {
    const limit = limits[name];
    if (limit === undefined || isNothing(limit)) return false;
    const request = requests[name];
    return request === undefined || readAmount(request)?.nanos === readAmount(limit)?.nanos;
  });
}

function isNothing(amount: string | undefined): boolean {
  return amount === undefined || readAmount(amount)?.nanos === 0n;
}
