import type { Client } from "../client.ts";
import { mapCalls } from "./map-calls.ts";

/** A client whose writes are checked and answered as always, but not kept. */
export function dryRun(client: Client): Client {
  return mapCalls(client, (call) => {
    switch (call.verb) {
      case "get":
      case "list":
      case "watch":
        return call;
      case "create":
      case "update":
      case "patch":
        return { ...call, query: { ...call.query, dryRun: "All" } };
      case "delete":
      case "deletecollection": {
        const { contentType = "application/json", value = {} } = call.body ?? {};
        return { ...call, body: { contentType, value: { ...Object(value), dryRun: ["All"] } } };
      }
    }
  });
}
