import { accessFromKubeconfig, createClient, httpTransport } from "@keelson/client";
import { type Access, startControlPlane } from "@keelson/controlplane";
import { systemClock } from "@keelson/core";
import { startHollowNodes } from "@keelson/hollow";
import {
  anonymousTransport,
  createWorld,
  strangerTransport,
  type WorldParts,
  type WorldUser,
} from "./transport-world.ts";
import type { World } from "./world.ts";

/** Starts the real control plane with its controllers, its scheduler and two hollow nodes. */
export async function startRealWorld(): Promise<World & AsyncDisposable> {
  await using resources = new AsyncDisposableStack();
  const controlPlane = resources.use(await startControlPlane({ controllerManager: true, scheduler: true }));
  const admin = userOf(controlPlane);
  resources.defer(() => admin.transport.close());
  const anonymous = anonymousTransport(controlPlane.kubeconfig);
  resources.defer(() => anonymous.close());
  const stranger = await strangerTransport(controlPlane.kubeconfig);
  resources.defer(() => stranger.close());
  const client = createClient({ transport: admin.transport });
  resources.use(await startHollowNodes({ client, nodes: 2 }));
  const parts: WorldParts = {
    admin,
    anonymous,
    stranger,
    createUser: async (user, groups) => userOf(await controlPlane.createUser({ user, groups })),
    async kubectl(args, kubeconfigPath, { input, env }) {
      const { exitCode, stdout, stderr } = await controlPlane.tryKubectl(args, {
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
