import type { Listen, Listener } from "@keelson/core";
import type { CertificateSource } from "./certificate-source.ts";
import type { WebhookServer } from "./webhook-server.ts";

/** Where webhooks listen unless told otherwise [WH6]. */
export const defaultWebhookPort = 9443;
/** How long requests under way may take to end [MG11]. */
const drainMs = 60_000;

export interface ServeWebhooksOptions {
  readonly server: WebhookServer;
  readonly certificates: CertificateSource;
  /** How ports are opened; `listenHttp` of the client opens real ones. */
  readonly listen: Listen;
  /** Default 9443. 0 takes any free one; below 0 nothing is served [WH6]. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** Told the port once it is open. */
  readonly onListening?: (port: number) => void;
}

/**
 * Serves webhooks until the signal aborts, then lets requests under way end for up to 60 s. Rejects if there is no
 * certificate or the port cannot be had.
 */
export async function serveWebhooks(options: ServeWebhooksOptions, signal: AbortSignal): Promise<void> {
  const { server, certificates, listen, port = defaultWebhookPort, host, onListening } = options;
  if (port < 0) return;
  await certificates.load(signal);
  const listener: Listener = await listen(
    { port, certificate: () => certificates.current(), ...(host !== undefined && { host }) },
    server.service,
  );
  try {
    onListening?.(listener.port);
    await certificates.run(signal);
  } finally {
    await listener.close(drainMs);
  }
}
