import { accessFromKubeconfig, createClient, httpTransport, listenHttp, sendPost } from "@keelson/client";
import { type Access, CertificateAuthority, openKubectl } from "@keelson/controlplane";
import { systemClock } from "@keelson/core";
import { startHollowNodes } from "@keelson/hollow";
import { createSandbox, serveSandbox } from "@keelson/sandbox";
import {
  anonymousTransport,
  createWorld,
  strangerTransport,
  type WorldParts,
  type WorldUser,
} from "./transport-world.ts";
import type { World } from "./world.ts";

export interface EmbeddedWorldOptions {
  /** Is called with unexpected errors, and with those that controllers retry. */
  readonly onError?: (error: unknown, where: string) => void;
}

/** Starts the embedded control plane with two hollow nodes, served over HTTPS as the real one is. */
export async function startEmbeddedWorld(
  options: EmbeddedWorldOptions = {},
): Promise<World & AsyncDisposable> {
  await using resources = new AsyncDisposableStack();
  const authority = await CertificateAuthority.create("keelson-sandbox");
  const { pair } = authority;
  const sandbox = resources.use(
    await createSandbox({ ...options, certificates: pair.certificate, authority: pair, sendPost }),
  );
  const served = await serveSandbox(sandbox, { listen: listenHttp, authority });
  resources.defer(() => served.close(0));
  // The name of the real world's administrator, which some objects record.
  const adminKubeconfig = await served.kubeconfig("keelson-admin", ["system:masters"]);
  const kubectl = resources.use(await openKubectl(adminKubeconfig));
  const admin = userOf(await kubectl.keep(adminKubeconfig));
  resources.defer(() => admin.transport.close());
  const anonymous = anonymousTransport(adminKubeconfig);
  resources.defer(() => anonymous.close());
  const stranger = await strangerTransport(await served.kubeconfig());
  resources.defer(() => stranger.close());
  resources.use(await startHollowNodes({ client: createClient({ transport: admin.transport }), nodes: 2 }));
  const parts: WorldParts = {
    admin,
    anonymous,
    stranger,
    createUser: async (user, groups) => userOf(await kubectl.keep(await served.kubeconfig(user, groups))),
    async kubectl(args, kubeconfigPath, { input, env }) {
      const { exitCode, stdout, stderr } = await kubectl.tryRun(args, {
        kubeconfigPath,
        ...(input !== undefined && { input }),
        ...(env !== undefined && { env }),
      });
      return { code: exitCode ?? -1, stdout, stderr };
    },
  };
  return createWorld(parts, resources.move());
}

function userOf({ kubeconfig, kubeconfigPath }: Access): WorldUser {
  return {
    transport: httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} })),
    kubeconfigPath,
  };
}
