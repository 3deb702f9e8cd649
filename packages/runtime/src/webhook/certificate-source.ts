import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { ServingCertificate } from "@keelson/core";
import { InvalidCertificateError } from "./errors.ts";

/** Where a server gets its certificate from, and gets it anew while it runs. */
export interface CertificateSource {
  /** Gets the first one. A server must not listen before; rejects if there is none to be had. */
  load(signal?: AbortSignal): Promise<void>;
  /** The one to serve now; throws a NoCertificateError before `load`. */
  current(): ServingCertificate;
  /** Keeps it current until the signal aborts, then returns. What goes wrong is reported, and the last one stays. */
  run(signal: AbortSignal): Promise<void>;
}

/** Told of each attempt to read a certificate anew [WH7]. Must not throw. */
export interface CertificateObserver {
  read(): void;
  /** The attempt failed; the certificate before it stays in use. */
  readFailed(): void;
}

/**
 * Gives back a certificate and its key if they can be served: both are PEM, they belong together, which they do not
 * while somebody replaces one file after the other, and so is the rest of the chain. Otherwise throws an
 * InvalidCertificateError.
 */
export function checkServingCertificate(what: string, pair: ServingCertificate): ServingCertificate {
  const certificate = attempt(() => new X509Certificate(pair.certificate));
  if (certificate === undefined) throw new InvalidCertificateError(what, "the certificate is not PEM");
  const key = attempt(() => createPrivateKey(pair.key));
  if (key === undefined) throw new InvalidCertificateError(what, "the key is not PEM, or has a password");
  if (!certificate.checkPrivateKey(key))
    throw new InvalidCertificateError(what, "the certificate and the key do not belong together");
  // As the listener does: what it would refuse in silence, people are to hear of here.
  const context = attempt(() => createSecureContext({ cert: pair.certificate, key: pair.key }));
  if (context !== undefined) return pair;
  throw new InvalidCertificateError(
    what,
    "TLS refuses it; is its chain whole, and are its keys long enough?",
  );
}

/** What OpenSSL has to say about its decoders helps nobody, and may hold what it read. */
function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
