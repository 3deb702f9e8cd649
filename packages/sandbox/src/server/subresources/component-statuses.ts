import { notFound } from "../../status/api-error.ts";
import type { ApiRequest } from "../api-request.ts";
import { type Answer, valueAnswer } from "../response.ts";

/** There are no components beside the server itself. */
export function componentStatusAnswer({ name }: ApiRequest): Answer {
  if (name !== undefined) throw notFound({ group: "", plural: "componentstatus" }, name);
  const list = { kind: "ComponentStatusList", apiVersion: "v1", metadata: {}, items: [] };
  return valueAnswer({ format: "json", isPretty: false }, list);
}
