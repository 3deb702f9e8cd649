/** Sends a JSON body over HTTPS; rejects if there is no answer. */
export type SendPost = (post: OutgoingPost) => Promise<PostAnswer>;

export interface OutgoingPost {
  readonly url: string;
  /** The name that the server's certificate must bear. Default: the host of the URL. */
  readonly serverName?: string;
  /** In PEM: what the server's certificate must go back to. Default: the machine's. */
  readonly certificateAuthority?: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  readonly body: string;
}
