import type { HttpService, Listen, ServingCertificate } from "@keelson/core";
import type { GroupMember } from "./runnable-group.ts";
import { aborted } from "./within.ts";

/** Where a server listens. */
export interface HttpEndpoint {
  /** 0 takes any free one; below 0 nothing is served. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** Serves HTTPS; asked for at each handshake. Default: HTTP. */
  readonly certificate?: () => ServingCertificate;
}

export interface ServeOptions {
  /** For people, such as `metrics`. */
  readonly name: string;
  readonly listen: Listen;
  readonly endpoint: HttpEndpoint & { readonly port: number };
  readonly service: HttpService;
  /** Told the port once it is open. */
  readonly onListening: (port: number) => void;
}

/** How long a scrape or a probe that is under way may take to end. */
const drainMs = 1_000;

/** A server as a member of a group: ready as soon as its port is open, closed when it is told to stop. */
export function httpServer({ name, listen, endpoint, service, onListening }: ServeOptions): GroupMember {
  const { port, host, certificate } = endpoint;
  const listenOptions = {
    port,
    ...(host !== undefined && { host }),
    ...(certificate !== undefined && { certificate }),
  };
  return {
    name,
    run: async (signal, isReady) => {
      const listener = await listen(listenOptions, service);
      try {
        onListening(listener.port);
        isReady();
        await aborted(signal);
      } finally {
        await listener.close(drainMs);
      }
    },
  };
}
