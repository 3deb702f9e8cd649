import { accessFromKubeconfig, httpTransport } from "@keelson/client";
import { type Clock, type Kubeconfig, systemClock, type Transport } from "@keelson/core";

/** How a cluster is reached: by a connection of one's own, or by one that stays its owner's and is not closed. */
export type OperatorAccess = { readonly kubeconfig: Kubeconfig } | { readonly transport: Transport };

/** A transport that may be closed whoever owns what is behind it. */
export function openAccess(access: OperatorAccess, clock: Clock = systemClock): Transport {
  if ("kubeconfig" in access)
    return httpTransport(accessFromKubeconfig(access.kubeconfig, { clock, env: {} }));
  const { transport } = access;
  return { send: (request) => transport.send(request), close: async () => undefined };
}
