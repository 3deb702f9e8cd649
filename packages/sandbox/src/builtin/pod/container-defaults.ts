import type { Draft } from "@keelson/core";
import type { Container, EnvVar, LifecycleHandler, Probe } from "@keelson/core/kinds/core/v1";
import type { Given } from "../given.ts";
import { defaultPullPolicy } from "./image-pull-policy.ts";
import { normalizeAmounts } from "./resource-amounts.ts";

type GivenContainer = Draft<Given<Container>>;

/** Of containers, init containers and ephemeral containers alike. */
export function setContainerDefaults(container: GivenContainer): void {
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

/** In the API an empty text is as good as nothing, where nothing else is said. */
export function isEmpty(text: string | undefined): boolean {
  return text === undefined || text === "";
}
