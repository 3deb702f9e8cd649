import { type GenericObject, isRecord } from "@keelson/core";
import { valueAt } from "../../resource/field-path.ts";
import { badRequest, notFound, plainError } from "../../status/api-error.ts";
import { storeKey } from "../../store/store.ts";
import { type ApiRequest, nameOf } from "../request/api-request.ts";
import { type ApiResponse, textResponse } from "../response/response.ts";
import type { ServerDependencies } from "../server-dependencies.ts";

/** Subresources that need a kubelet, which does not exist here: pods run without containers. */
const connections: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"]);

export function isConnection(collection: string, subresource: string | undefined): boolean {
  if (subresource === undefined) return false;
  if (collection === "pods") return subresource === "log" || connections.has(subresource);
  return (collection === "services" || collection === "nodes") && subresource === "proxy";
}

export function handleConnection({ reads }: ServerDependencies, request: ApiRequest): ApiResponse {
  const { resource, namespace, subresource, query } = request;
  const name = nameOf(request);
  const object = reads.store.get(resource.collection, storeKey(namespace, name));
  if (object === undefined) throw notFound(resource, name);
  if (subresource === "log") return logResponse(object, query);
  if (subresource === "proxy") {
    throw plainError(
      `proxy to ${resource.plural} ${JSON.stringify(name)}: nothing listens in this control plane`,
    );
  }
  throw badRequest("Upgrade request required");
}

/** The log of a container is empty, because it does not run. */
function logResponse(pod: GenericObject, query: URLSearchParams): ApiResponse {
  const { name } = pod.metadata;
  const names = ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
    namesOf(valueAt(pod, `.spec.${field}`)),
  );
  const requested = query.get("container") ?? "";
  if (requested !== "" && !names.includes(requested)) {
    throw badRequest(`container ${requested} is not valid for pod ${name}`);
  }
  const containers = namesOf(valueAt(pod, ".spec.containers"));
  if (requested === "" && containers.length > 1 && defaultContainer(pod) === undefined) {
    const choose = `choose one of: [${containers.join(" ")}]`;
    throw badRequest(`a container name must be specified for pod ${name}, ${choose}`);
  }
  const container = requested === "" ? (defaultContainer(pod) ?? containers[0]) : requested;
  const node = valueAt(pod, ".spec.nodeName");
  if (node === undefined || node === "") return textResponse("");
  const statuses = valueAt(pod, ".status.containerStatuses");
  const status = Array.isArray(statuses) ? statuses.find((one) => one.name === container) : undefined;
  const waiting =
    isRecord(status?.state) && isRecord(status.state.waiting) ? status.state.waiting : undefined;
  if (waiting !== undefined) {
    const why = waiting.reason === undefined ? "ContainerCreating" : String(waiting.reason);
    throw badRequest(
      `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} is waiting to start: ${why}`,
    );
  }
  return textResponse("");
}

function defaultContainer({ metadata }: GenericObject): string | undefined {
  return metadata.annotations?.["kubectl.kubernetes.io/default-container"];
}

function namesOf(containers: unknown): readonly string[] {
  return Array.isArray(containers) ? containers.map(({ name }) => String(name)) : [];
}
