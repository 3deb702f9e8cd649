import type { Socket } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import type { ClientCertificate, ServiceRequest } from "@keelson/core";

type Shown = Pick<ServiceRequest, "clientCertificate" | "hasUnverifiedCertificate">;

/** By connection: the handshake is over before the first request, and nothing of it changes after. */
const known = new WeakMap<Socket, Shown>();

/** What a client has shown of itself when it connected; read once for all requests of the connection. */
export function shownBy(socket: Socket): Shown {
  if (!isSecure(socket)) return {};
  const before = known.get(socket);
  if (before !== undefined) return before;
  const shown = presentedBy(socket);
  known.set(socket, shown);
  return shown;
}

function isSecure(socket: Socket): socket is TLSSocket {
  return "getPeerCertificate" in socket;
}

/** A certificate is verified if it was requested, chains to the authorities for clients, and has not expired. */
function presentedBy(socket: TLSSocket): Shown {
  // An empty object if there is none, whatever the type says.
  const { subject, fingerprint256 }: Partial<PeerCertificate> = socket.getPeerCertificate();
  if (subject === undefined || fingerprint256 === undefined) return {};
  if (!socket.authorized) return { hasUnverifiedCertificate: true };
  const clientCertificate: ClientCertificate = {
    commonName: listOf(subject.CN).at(-1) ?? "",
    organizations: listOf(subject.O),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
  };
  return { clientCertificate };
}

/** A part of a subject that is there several times is a list. */
function listOf(part: string | readonly string[] | undefined): readonly string[] {
  if (part === undefined) return [];
  return typeof part === "string" ? [part] : part;
}
