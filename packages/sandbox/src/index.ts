export type { OutgoingPost, PostResponse } from "@keelson/core";
export type { UserInfo } from "./auth/user.ts";
export type { NodeMonitor } from "./controllers/cluster/node/node-lifecycle.ts";
export { createSandbox } from "./create-sandbox.ts";
export type {
  CommonFault,
  Fault,
  FaultRule,
  Faults,
  RefusedResponse,
  RefusedStatus,
} from "./faults/fault.ts";
export { reasonCodes, refusedResponse, refusedStatus } from "./faults/fault.ts";
export type { MatchedRequest, RequestMatch, RequestPattern } from "./faults/request-match.ts";
export { matchedRequest, matchesRequest } from "./faults/request-match.ts";
export type { SendPost } from "./outgoing/post-webhook.ts";
export type { Sandbox, SandboxOptions } from "./sandbox.ts";
export type { Authority, ServedSandbox, ServeOptions } from "./serve-sandbox.ts";
export { serveSandbox } from "./serve-sandbox.ts";
export type { DeleteOptions } from "./server/options/delete-options.ts";
export type { ObjectApi, WriterOptions } from "./server/write/object-api.ts";
export { ApiError } from "./status/api-error.ts";
export type { Journal, JournalEntry, StoredEntry, StoreSnapshot } from "./store/journal.ts";
export { replay } from "./store/journal.ts";
