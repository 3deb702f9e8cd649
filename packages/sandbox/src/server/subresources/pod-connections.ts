import { type GenericObject, isRecord } from "@keelson/core";
import { valueAt } from "../../resource/field-path.ts";
import { badRequest, notFound, plainError } from "../../status/api-error.ts";
import { storeKey } from "../../store/store.ts";
import { type ApiRequest, nameOf } from "../request/api-request.ts";
import { type Answer, textAnswer } from "../response/response.ts";
import type { ServerTools } from "../server-dependencies.ts";

/** What only a kubelet could answer, and there are none here: Pods run without containers. */
const connections: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy"]);

export function isConnection(collection: string, subresource: string | undefined): boolean {
  if (subresource === undefined) return false;
  if (collection === "pods") return subresource === "log" || connections.has(subresource);
  return (collection === "services" || collection === "nodes") && subresource === "proxy";
}

export function connectionAnswer({ reads }: ServerTools, request: ApiRequest): Answer {
  const { resource, namespace, subresource, query } = request;
  const name = nameOf(request);
  const object = reads.store.get(resource.collection, storeKey(namespace, name));
  if (object === undefined) throw notFound(resource, name);
  if (subresource === "log") return logAnswer(object, query);
  if (subresource === "proxy") {
    throw plainError(
      `proxy to ${resource.plural} ${JSON.stringify(name)}: nothing listens in this control plane`,
    );
  }
  throw badRequest("Upgrade request required");
}

/** Containers that do not run say nothing. */
function logAnswer(pod: GenericObject, query: URLSearchParams): Answer {
  const { name } = pod.metadata;
  const names = ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
    namesOf(valueAt(pod, `.spec.${field}`)),
  );
  const asked = query.get("container") ?? "";
  if (asked !== "" && !names.includes(asked)) {
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const containers = namesOf(valueAt(pod, ".spec.containers"));
  if (asked === "" && containers.length > 1 && defaultContainer(pod) === undefined) {
    const choose = `choose one of: [${containers.join(" ")}]`;
    throw badRequest(`a container name must be specified for pod ${name}, ${choose}`);
  }
  const container = asked === "" ? (defaultContainer(pod) ?? containers[0]) : asked;
  const node = valueAt(pod, ".spec.nodeName");
  if (node === undefined || node === "") return textAnswer("");
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
  return textAnswer("");
}

function defaultContainer({ metadata }: GenericObject): string | undefined {
  return metadata.annotations?.["kubectl.kubernetes.io/default-container"];
}

function namesOf(containers: unknown): readonly string[] {
  return Array.isArray(containers) ? containers.map(({ name }) => String(name)) : [];
}
