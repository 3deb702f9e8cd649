import type { Clock, Transport } from "@keelson/core";
import { type AssembledApi, assembleApi } from "./assemble-api.ts";
import { createIssuer } from "./auth/certificates/issue-certificate.ts";
import { newSecret } from "./auth/json-web-token.ts";
import type { UserInfo } from "./auth/user.ts";
import { createControlPlaneObjects } from "./control-plane-objects.ts";
import { nodeApprover } from "./controllers/cluster/certificates/node-approver.ts";
import { certificateSigner } from "./controllers/cluster/certificates/signing-controller.ts";
import { clusterControllers } from "./controllers/cluster/cluster-controllers.ts";
import { startClusterRoleAggregation } from "./controllers/cluster/cluster-role-aggregation.ts";
import { nodeLifecycle } from "./controllers/cluster/node/node-lifecycle.ts";
import { rootCertificates, tokenSecrets } from "./controllers/cluster/service-accounts.ts";
import type { StartController } from "./controllers/controller.ts";
import { runControllers } from "./controllers/run-controllers.ts";
import { workloadControllers } from "./controllers/workloads/workload-controllers.ts";
import { followDefinitions } from "./custom/follow-definitions.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { createInProcessTransport } from "./server/in-process-transport.ts";
import type { Store } from "./store/store.ts";

const administrator: UserInfo = { username: "kubernetes-admin", groups: ["system:masters"] };

/** Starts a control plane in this process. It is ready, and pods can be created, when this resolves. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const api = assembleApi(options);
  const { store, objects, service, faults, tokens, random } = api;
  const stopFollowing = followDefinitions({
    ...api,
    writer: objects,
    onError: (error) => api.onError(error, "custom resource definitions"),
  });
  await createControlPlaneObjects(objects, options.certificates);
  const runs = options.controllers !== false;
  const controllers = runControllers(runs ? allControllers(api, options) : [], {
    ...api,
    onError: (name, error) => api.onError(error, name),
  });
  const stopCompacting = compactOldHistory(store, api.clock);
  if (runs) await appears(store, "serviceaccounts", "default/default");

  function addUser(user: UserInfo): string {
    const token = Buffer.from(newSecret(random)).toString("base64url");
    tokens.set(token, user);
    return token;
  }
  const stop = once(async () => {
    stopCompacting();
    await controllers.stop();
    await stopFollowing();
    faults.cutWatches();
  });
  return {
    service,
    objects,
    faults,
    addUser,
    transport: (user: UserInfo = administrator): Transport =>
      createInProcessTransport(service, { authorization: `Bearer ${addUser(user)}` }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function allControllers(
  { serviceAccountTokens, authorize, random }: AssembledApi,
  { certificates = "", authority, nodeMonitor }: SandboxOptions,
): readonly StartController[] {
  return [
    ...clusterControllers.map(({ start }) => start),
    nodeLifecycle(nodeMonitor),
    startClusterRoleAggregation,
    rootCertificates(certificates),
    nodeApprover(authorize),
    ...(authority === undefined ? [] : [certificateSigner(createIssuer(authority, random))]),
    tokenSecrets({ certificates, issueToken: (token) => serviceAccountTokens.issueLegacy(token) }),
    ...workloadControllers,
  ];
}

/** Resolves when the object exists. */
async function appears(store: Store, collection: string, key: string): Promise<void> {
  if (store.get(collection, key) !== undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = store.subscribe(collection, store.revision, (change) => {
    if (change.key === key) resolve();
  });
  await promise;
  unsubscribe();
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** The interval at which the real server compacts etcd. */
const intervalMs = 5 * 60 * 1000;

/** Compacts every five minutes the history that is older than that; returns a function that ends this. */
function compactOldHistory(store: Store, clock: Clock): () => void {
  let cancel = schedule(store.revision);

  function schedule(revision: number): () => void {
    return clock.schedule(intervalMs, () => {
      store.compact(revision);
      cancel = schedule(store.revision);
    });
  }

  return () => cancel();
}
