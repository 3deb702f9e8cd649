/** Calls an admission or conversion webhook. Rejects if there is no response. */
export type WebhookCaller = (request: WebhookRequest) => Promise<WebhookResponse>;

export interface WebhookRequest {
  readonly target: WebhookTarget;
  /** The certificate authority of the webhook server, PEM in base64. Undefined: those of the machine. */
  readonly caBundle?: string;
  /** JSON. */
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type WebhookTarget =
  | { readonly url: string }
  | { readonly service: WebhookService; readonly path: string };

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  readonly body: string;
}
