import type { ObjectKey, Resource } from "@keelson/core";
import type { LogOptions } from "./client.ts";
import type { Caller } from "./request/caller.ts";
import { makeCall } from "./request/object-call.ts";

const pods: Resource = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

/** The log of a pod's container as it comes. The server ends it, unless it is followed. */
export function podLog(caller: Caller, pod: ObjectKey, options: LogOptions): AsyncIterable<Uint8Array> {
  const query = {
    container: options.container,
    follow: options.follow?.toString(),
    previous: options.previous?.toString(),
    sinceSeconds: options.sinceSeconds?.toString(),
    tailLines: options.tailLines?.toString(),
    timestamps: options.timestamps?.toString(),
  };
  const call = makeCall(pods, pod, { verb: "get", subresource: "log", query }, options);
  // Logs are text; a refusal still comes as a Status in JSON.
  return caller.stream({ ...call, accept: "text/plain, application/json", isStream: true });
}
