import type { Clock, HttpService, Random, ServingCertificate, Transport } from "@keelson/core";
import type { UserInfo } from "./auth/user.ts";
import type { NodeMonitor } from "./controllers/cluster/node/node-lifecycle.ts";
import type { Faults } from "./faults/fault.ts";
import type { SendPost } from "./outgoing/post-webhook.ts";
import type { ObjectApi } from "./server/write/object-api.ts";
import type { Journal } from "./store/journal.ts";

export interface SandboxOptions {
  /** Default: the machine's. On a virtual one, a day of CronJobs takes milliseconds. */
  readonly clock?: Clock;
  /** For uids, generated names and tokens. Default: the machine's. */
  readonly random?: Random;
  /**
   * Whether the controllers run: workloads, garbage collection, namespaces, scheduling. Without them there are no
   * ServiceAccounts, and pods need none. Default: true.
   */
  readonly controllers?: boolean;
  /**
   * Whether the admission plugin OwnerReferencesPermissionEnforcement is on, as some administrators enable it on the real
   * server. Default: false.
   */
  readonly enforcesOwnerPermissions?: boolean;
  /** When a node without heartbeats becomes unreachable. */
  readonly nodeMonitor?: NodeMonitor;
  /** Calls admission and conversion webhooks. Default: they cannot be called. */
  readonly sendPost?: SendPost;
  /** Persists the objects beyond the life of this process. Default: they are not persisted. */
  readonly journal?: Journal;
  /** The CA certificates of this server for pods, in PEM: the content of `kube-root-ca.crt`. */
  readonly certificates?: string;
  /**
   * The certificate authority that signs approved CertificateSigningRequests: the one whose client certificates this
   * server trusts. Default: they stay unsigned.
   */
  readonly authority?: ServingCertificate;
  /**
   * Reads Kubernetes' own OpenAPI v2 document, for the descriptions that `kubectl explain` prints. Called on the first
   * request for OpenAPI. Default: short descriptions of what is asked for most.
   */
  readonly openApiDocument?: () => string | undefined;
  /** Signs the tokens of ServiceAccounts; keep it so that they stay valid in a later process. Default: a new one. */
  readonly tokenSecret?: Uint8Array;
  /** Users by token. More can be added later. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** How many changes are kept for watches from an earlier revision. Default: 100,000. */
  readonly historyLimit?: number;
  /** Receives unexpected errors, and errors that controllers retry. Default: they are dropped. */
  readonly onError?: (error: unknown, where: string) => void;
}

/** A Kubernetes control plane in this process. */
export interface Sandbox extends AsyncDisposable {
  /** The API server as a function, for an HTTP server. */
  readonly service: HttpService;
  /** A transport that calls the API server in this process, as the administrator unless another user is given. */
  transport(user?: UserInfo): Transport;
  /** Creates a token for a user; RBAC decides what the user may do. */
  addUser(user: UserInfo): string;
  /** Reads and writes objects without requests, like the controllers. */
  readonly objects: ObjectApi;
  readonly faults: Faults;
  /** Stops watches and controllers. When it resolves, no timer is left. May be called more than once. */
  stop(): Promise<void>;
}
