/** Everything needed to reach one cluster as one identity. What can change while a program runs is a function. */
export interface ClusterAccess {
  /** `https://host:port`, maybe with a path, without a slash at the end. */
  readonly server: string;
  /** The namespace of the kubeconfig's context or of the pod; `default` if there is none. */
  readonly namespace: string;
  /** The proxy to go through, as a URL. */
  readonly proxyUrl?: string;
  /** The TLS settings for the next connection: certificates may have been rotated. */
  tls(signal?: AbortSignal): Promise<TlsSettings>;
  /** The headers that authenticate the next request: tokens expire. */
  headers(signal?: AbortSignal): Promise<HeaderLines>;
  /** The server responded with 401: cached credentials must be fetched again. */
  refused(): void;
}

/** Header lines by lower-case name; a list is sent as several lines of the same name. */
export type HeaderLines = Readonly<Record<string, string | readonly string[]>>;

export interface TlsSettings {
  /** PEM; without it the system's authorities are trusted. */
  readonly ca?: string;
  /** PEM. */
  readonly cert?: string;
  /** PEM. */
  readonly key?: string;
  /** The server name to send and to verify, instead of the host in the server's URL. */
  readonly serverName?: string;
  /** The server's certificate is not verified. */
  readonly insecure: boolean;
}
