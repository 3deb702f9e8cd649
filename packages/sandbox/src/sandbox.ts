import type { Clock, HttpService, Random, Transport } from "@keelson/core";
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
   * Whether the controllers run: workloads, garbage collection, namespaces, scheduling. Without them nobody makes
   * ServiceAccounts, and pods need none. Default: true.
   */
  readonly controllers?: boolean;
  /** How soon a node that says nothing is given up. */
  readonly nodeMonitor?: NodeMonitor;
  /** How admission and conversion webhooks are called. Default: they cannot be. */
  readonly sendPost?: SendPost;
  /** Keeps what is stored beyond the life of this process. Default: nothing is kept. */
  readonly journal?: Journal;
  /** The certificates by which pods know this server, in PEM; what is in `kube-root-ca.crt`. */
  readonly certificates?: string;
  /** Signs the tokens of ServiceAccounts, so that they hold beyond the life of this process. Default: a new one. */
  readonly tokenSecret?: Uint8Array;
  /** Users by their tokens. More can be added later. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** How many changes are kept for watches from the past. Default: 100,000. */
  readonly historyLimit?: number;
  /** Told of errors that nobody foresaw, and of those that controllers retry. Default: nobody is. */
  readonly onError?: (error: unknown, where: string) => void;
}

/** A Kubernetes control plane in this process. */
export interface Sandbox extends AsyncDisposable {
  /** The API server as a function, for whatever listens. */
  readonly service: HttpService;
  /** Straight into the API server, without a network: as the administrator unless another user is given. */
  transport(user?: UserInfo): Transport;
  /** Makes a token by which a user is known; what it may do is for RBAC to say. */
  addUser(user: UserInfo): string;
  /** Reads and writes without the API, as the control plane's own parts do. */
  readonly objects: ObjectApi;
  readonly faults: Faults;
  /** Ends watches and controllers. When it resolves, no timer is left. May be called more than once. */
  stop(): Promise<void>;
}
