import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { ServingCertificate } from "@keelson/core";
import { InvalidCertificateError } from "./errors.ts";

/** Provides the certificate of a server, and renews it while the server runs. */
export interface CertificateSource {
  /** Loads the first certificate; the server listens only after that. Rejects if there is none. */
  load(signal?: AbortSignal): Promise<void>;
  /** The certificate to serve now; throws a NoCertificateError before `load`. */
  current(): ServingCertificate;
  /** Keeps the certificate current until the signal aborts. Errors are logged, and the last valid one stays in use. */
  run(signal: AbortSignal): Promise<void>;
}

/** Observes the attempts to read a certificate, for metrics [WH7]. Must not throw. */
export interface CertificateObserver {
  read(): void;
  /** The attempt failed; the previous certificate stays in use. */
  readFailed(): void;
}

/**
 * Returns a certificate and its key if they can be served: both are PEM and belong together, which they do not while one
 * file has been replaced and the other has not, and TLS accepts the chain. Otherwise throws an InvalidCertificateError.
 */
export function checkServingCertificate(what: string, pair: ServingCertificate): ServingCertificate {
  const certificate = attempt(() => new X509Certificate(pair.certificate));
  if (certificate === undefined) throw new InvalidCertificateError(what, "the certificate is not PEM");
  const key = attempt(() => createPrivateKey(pair.key));
  if (key === undefined) throw new InvalidCertificateError(what, "the key is not PEM, or has a password");
  if (!certificate.checkPrivateKey(key))
    throw new InvalidCertificateError(what, "the certificate and the key do not belong together");
  // As the listener does, which would fail without a message.
  const context = attempt(() => createSecureContext({ cert: pair.certificate, key: pair.key }));
  if (context !== undefined) return pair;
  throw new InvalidCertificateError(
    what,
    "TLS refuses it; is its chain complete, and are its keys long enough?",
  );
}

/** Drops the error of OpenSSL, which explains nothing and may quote the key. */
function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
