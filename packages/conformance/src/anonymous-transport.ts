import { accessFromKubeconfig, httpTransport } from "@keelson/client";
import { type Kubeconfig, systemClock, type Transport } from "@keelson/core";

/** A way to the server of a kubeconfig for somebody who shows nothing. */
export function anonymousTransport(kubeconfig: Kubeconfig): Transport {
  const users = kubeconfig.users.map(({ name }) => ({ name, user: {} }));
  return httpTransport(accessFromKubeconfig({ ...kubeconfig, users }, { clock: systemClock, env: {} }));
}
