import type { GenericObject } from "@keelson/core";
import { notFound } from "../status/api-error.ts";
import { listResponse } from "./read/list-response.ts";
import { type ApiRequest, nameOf } from "./request/api-request.ts";
import { type ApiResponse, type ObjectView, objectResponse } from "./response/response.ts";
import type { ServerDependencies } from "./server-dependencies.ts";

const controllers = ["controller-manager", "scheduler"];

/** Responds with the parts of the control plane: the store is always healthy, the controllers are while they run. */
export async function handleComponentStatuses(
  { hasControllers }: ServerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const statuses = [...controllers, "etcd-0"].map((name) =>
    componentStatus(name, hasControllers || !controllers.includes(name)),
  );
  if (request.verb === "list") return listResponse(view, { metadata: {}, objects: statuses });
  const name = nameOf(request);
  const found = statuses.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw notFound({ group: "", plural: "componentstatus" }, name);
  return objectResponse(view, found);
}

function componentStatus(name: string, isHealthy: boolean): GenericObject {
  const condition = isHealthy
    ? { type: "Healthy", status: "True", message: "ok" }
    : { type: "Healthy", status: "False", message: "it does not run", error: "it does not run" };
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions: [condition] };
}
