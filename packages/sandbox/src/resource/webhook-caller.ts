/** Calls a webhook: of admission, or of conversion. Rejects if there is no answer. */
export type WebhookCaller = (request: WebhookRequest) => Promise<WebhookResponse>;

export interface WebhookRequest {
  readonly target: WebhookTarget;
  /** PEM certificates in base64 that the server's one must go back to. Undefined: the machine's. */
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
