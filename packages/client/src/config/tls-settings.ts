import type { TlsSettings } from "./cluster-access.ts";
import type { CertificateAndKey } from "./pem.ts";

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
