/**
 * Calls an admission or conversion webhook. Rejects if there is no response in time, with the message of the real
 * server, such as `Post "https://127.0.0.1:9443/convert?timeout=30s": context deadline exceeded`; or with the reason of
 * the signal.
 */
export type WebhookCaller = (request: WebhookRequest) => Promise<WebhookResponse>;

interface WebhookRequest {
  readonly clientConfig: WebhookClientConfig;
  /** JSON. */
  readonly body: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** Where a webhook is called, as configurations and definitions say: at its URL or at its Service. */
export interface WebhookClientConfig {
  /** The certificate of the webhook server or of its authority, PEM in base64. Undefined: the authorities of the machine. */
  readonly caBundle?: string;
  readonly url?: string;
  readonly service?: WebhookService;
}

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
  readonly path?: string;
}

export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Empty without one. */
  readonly contentType: string;
  readonly body: string;
}
