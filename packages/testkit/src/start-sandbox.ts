import { type Client, createClient, listenHttp, sendPost } from "@keelson/client";
import {
  type Access,
  type ApiAccess,
  CertificateAuthority,
  grantRules,
  type KubectlOptions,
  type KubectlResult,
  openKubectl,
  type UserOptions,
} from "@keelson/controlplane";
import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type ServedSandbox,
  serveSandbox,
} from "@keelson/sandbox";
import { type Endings, endAll } from "./end-all.ts";
import { SandboxStoppedError } from "./errors.ts";

/**
 * The embedded control plane, served over HTTPS on a free port of 127.0.0.1. Its own kubeconfig is the administrator's;
 * `createUser` makes a kubeconfig for another user.
 */
export interface RunningSandbox extends Access, AsyncDisposable {
  readonly url: string;
  /** The control plane itself, with its faults. */
  readonly sandbox: Sandbox;
  /** The administrator's, in process: past HTTPS, and past `kill`. */
  readonly client: Client;
  /** Makes a user with a client certificate; its rules are in force when this returns. */
  createUser(options: UserOptions): Promise<Access>;
  /** Runs the pinned kubectl, by default as the administrator; returns what it printed. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** As `kubectl`, but gives all that it printed and its exit code, whatever that is. */
  tryKubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
  /** Breaks every connection and every watch, and takes no new connections. What is stored stays, the history does not. */
  kill(component: "kube-apiserver"): Promise<void>;
  /** As `kill`, then listens again on the same port. */
  restart(component: "kube-apiserver"): Promise<void>;
  /** When it resolves, no timer, port, file or process is left. May be called more than once. */
  stop(): Promise<void>;
}

/** What is decided here is how webhooks are called, and by which certificates the server is known. */
export type StartSandboxOptions = Omit<SandboxOptions, "sendPost" | "certificates" | "authority">;

const administrator = { user: "keelson-admin", groups: ["system:masters"] };

/** Starts the embedded control plane as a cluster of its own, for clients in other processes too. */
export async function startSandbox(options: StartSandboxOptions = {}): Promise<RunningSandbox> {
  const authority = await CertificateAuthority.create("keelson-sandbox");
  const { pair } = authority;
  const sandbox = await createSandbox({
    ...options,
    certificates: pair.certificate,
    authority: pair,
    sendPost,
  });
  const stops: Endings = [() => sandbox.stop()];
  try {
    return await serve(sandbox, authority, stops);
  } catch (error) {
    await endAll(stops);
    throw error;
  }
}

/** What is to be done at the end is added to `stops` as it comes up. */
async function serve(
  sandbox: Sandbox,
  authority: CertificateAuthority,
  stops: Endings,
): Promise<RunningSandbox> {
  const served = await serveSandbox(sandbox, { listen: listenHttp, authority });
  let listening: ServedSandbox | undefined = served;
  stops.push(async () => listening?.close(0));
  const kubeconfig = await served.kubeconfig();
  const kubectl = await openKubectl(kubeconfig);
  stops.push(async () => kubectl[Symbol.asyncDispose]());
  const access = await kubectl.keep(kubeconfig);
  const transport = sandbox.transport();
  stops.push(() => transport.close());
  const client = createClient({ transport });
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= endAll(stops);
    return stopped;
  };
  async function adminApi(): Promise<ApiAccess> {
    const { certificate: cert, key } = await authority.issueClient(administrator);
    return { url: served.url, tls: { ca: authority.pair.certificate, cert, key } };
  }
  async function kill(): Promise<void> {
    if (stopped !== undefined) throw new SandboxStoppedError(served.url);
    const closed = listening?.close(0);
    listening = undefined;
    await closed;
    // Those in process see it too, and a new server begins its memory of changes anew.
    sandbox.faults.cutWatches();
    sandbox.faults.compact();
  }
  return {
    ...access,
    url: served.url,
    sandbox,
    client,
    async createUser({ user, groups = [], rules, namespace }) {
      const own = await kubectl.keep(await served.kubeconfig(user, groups));
      if (rules !== undefined)
        await grantRules(await adminApi(), { user, rules, ...(namespace !== undefined && { namespace }) });
      return own;
    },
    kubectl: kubectl.run,
    tryKubectl: kubectl.tryRun,
    kill,
    async restart() {
      await kill();
      listening = await serveSandbox(sandbox, { listen: listenHttp, authority, port: served.port });
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
