import type { TlsSettings } from "./cluster-access.ts";
import type { ContextScope } from "./context-scope.ts";
import { type CertificateAndKey, checkAuthority, decodeData } from "./pem.ts";

/** Gives what may be replaced while the program runs. */
export type Get<Value> = (signal?: AbortSignal) => Promise<Value>;

export interface TlsSources {
  /** PEM; undefined where the system's authorities are trusted. */
  readonly authority: Get<string | undefined>;
  readonly certificate: Get<CertificateAndKey | undefined>;
  readonly serverName?: string;
  readonly insecure: boolean;
}

/** Puts TLS settings together. While nothing changes it gives the same object, so that comparing is cheap. */
export function tlsSettingsFrom({
  authority,
  certificate,
  serverName,
  insecure,
}: TlsSources): Get<TlsSettings> {
  let last: TlsSettings = { insecure, ...(serverName !== undefined && { serverName }) };
  return async (signal) => {
    const ca = await authority(signal);
    const { cert, key } = (await certificate(signal)) ?? {};
    if (ca === last.ca && cert === last.cert && key === last.key) return last;
    last = {
      insecure,
      ...(serverName !== undefined && { serverName }),
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
    return last;
  };
}

/** The authorities that may vouch for the server, in PEM; it gives undefined if the system's may. */
export function authorityOf(scope: ContextScope): Get<string | undefined> {
  const { cluster } = scope.context;
  const { "certificate-authority": file, "certificate-authority-data": data } = cluster;
  if (file === undefined && data === undefined) return async () => undefined;
  if (cluster["insecure-skip-tls-verify"] === true) {
    throw scope.fail(
      "its cluster has a certificate authority and insecure-skip-tls-verify",
      "remove insecure-skip-tls-verify; the two contradict each other",
    );
  }
  if (data !== undefined) {
    if (file !== undefined) scope.warn("certificate-authority-data wins over certificate-authority");
    const field = "certificate-authority-data";
    const pem = scope.explain(() => checkAuthority(field, decodeData(field, data)));
    return async () => pem;
  }
  const path = file ?? "";
  const authority = scope.rotatingCertificate(async (signal) => {
    const pem = await scope.read("certificate-authority", path, signal);
    return scope.explain(() => checkAuthority(path, pem));
  });
  return (signal) => authority.get(signal);
}
