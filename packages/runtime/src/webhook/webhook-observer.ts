/**
 * What webhooks tell about themselves, so that metrics can be made of it. The calls come from within a request: they
 * must be quick and must not throw. Webhooks are named by their path.
 */
export interface WebhookObserver {
  /** So many more (or fewer) requests are under way. */
  inFlightChanged(path: string, change: 1 | -1): void;
  /** A request was answered, with this HTTP status. */
  answered(path: string, code: number, ms: number): void;
  /** A handler threw by mistake [WH5]. */
  panicked(path: string): void;
}

/** Told of each attempt to read a certificate anew [WH7]. Must not throw. */
export interface CertificateObserver {
  read(): void;
  /** The attempt failed; the certificate before it stays in use. */
  readFailed(): void;
}
