export type { OutgoingPost, PostResponse } from "@keelson/core";
export type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  LogOptions,
  ObjectToWrite,
  Reader,
  Selection,
  SubresourceClient,
  WatchOptions,
  WriteOptions,
  Writer,
} from "./client.ts";
export type { ClusterAccess, HeaderLines, TlsSettings } from "./config/cluster-access.ts";
export type { OnWarning } from "./config/credentials.ts";
export type { DefaultAccessOptions } from "./config/default-access.ts";
export { defaultAccess } from "./config/default-access.ts";
export type { ExecFailure } from "./config/errors.ts";
export {
  ConfigError,
  ExecCredentialError,
  InClusterError,
  KubeconfigError,
  KubeconfigNotFoundError,
  NoClusterConfiguredError,
  NotInClusterError,
  UnsendableCredentialError,
} from "./config/errors.ts";
export type { Command, CommandEnd, CommandResult, RunCommand, Terminal } from "./config/exec/command.ts";
export type { InClusterOptions } from "./config/in-cluster.ts";
export { inClusterAccess } from "./config/in-cluster.ts";
export type { KubeconfigAccessOptions } from "./config/kubeconfig-access.ts";
export { accessFromKubeconfig } from "./config/kubeconfig-access.ts";
export type { Environment, LoadedKubeconfig, LoadKubeconfigOptions } from "./config/load-kubeconfig.ts";
export { loadKubeconfig } from "./config/load-kubeconfig.ts";
export type { ClientOptions } from "./create-client.ts";
export { createClient } from "./create-client.ts";
export type { DiscoveredResource } from "./discovery/api-resource-list.ts";
export { discoverAll, discoverVersion } from "./discovery/discover.ts";
export type { KindQuery } from "./discovery/rest-mapper.ts";
export { RestMapper } from "./discovery/rest-mapper.ts";
export {
  AlreadyExistsError,
  ApiError,
  apiErrorFrom,
  BadRequestError,
  ClientError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  GoneError,
  InvalidCallError,
  InvalidError,
  MalformedResponseError,
  NoKindMatchError,
  NotFoundError,
  RequestTimeoutError,
  ServerTimeoutError,
  TooLargeError,
  TooManyRequestsError,
  TransportClosedError,
  UnauthorizedError,
  WaitTimeoutError,
} from "./errors.ts";
export type { MutateFn, Upsert, UpsertOutcome } from "./object/create-or-update.ts";
export { createOrPatch, createOrUpdate } from "./object/create-or-update.ts";
export { addFinalizer, removeFinalizer } from "./object/finalizers.ts";
export { find } from "./object/find.ts";
export type { WaitOptions } from "./object/wait-for.ts";
export { waitFor, waitUntilDeleted } from "./object/wait-for.ts";
export type { Patch } from "./patch.ts";
export { jsonPatch, mergePatch, mergePatchBetween, strategicMergePatch } from "./patch.ts";
export { recordUse } from "./record-use.ts";
export type { ApiCall, Verb } from "./request/api-call.ts";
export { describeCall, isDryRun, isWrite } from "./request/api-call.ts";
export type { Caller, RawCall } from "./request/caller.ts";
export type { OnServerWarning } from "./request/response.ts";
export type { Connection, ConnectOptions } from "./transport/connect.ts";
export { connect } from "./transport/connect.ts";
export { listenHttp } from "./transport/http-listener.ts";
export { type HttpTransportOptions, httpTransport } from "./transport/http-transport.ts";
export type { PingOptions } from "./transport/http2-exchange.ts";
export { retryingTransport } from "./transport/retrying-transport.ts";
export { sendPost } from "./transport/send-post.ts";
export { splitLines } from "./watch/line-splitter.ts";
export type { RawWatchEvent, WatchEvent } from "./watch/watch-event.ts";
export { parseWatchEvent } from "./watch/watch-event.ts";
export {
  dryRun,
  inNamespace,
  mapCalls,
  signalLayer,
  withFieldOwner,
  withFieldValidation,
  withSignal,
} from "./wrappers.ts";
