import { failureStatus, type InjectedStatusOptions, type StatusReason } from "./injected-status.ts";

/** What happens to a request. Made by the functions of `faults`. */
export type Fault = RequestFault | StreamFault;

/** Decides how, or whether, a request is answered. */
export type RequestFault =
  | { readonly kind: "refuse" | "reset" | "loseAnswer" | "neverAnswer" | "hold" | "holdAnswer" }
  | { readonly kind: "answer"; readonly answer: InjectedAnswer };

/** Leaves the request alone and spoils the body of the answer. */
export type StreamFault = LineFault | { readonly kind: "splitBytes" };

export type LineFault =
  | { readonly kind: "cut"; readonly afterLines: number; readonly how: StreamEnd; readonly midLine: boolean }
  | { readonly kind: "inject"; readonly afterLines: number; readonly line: string }
  | { readonly kind: "garble" | "blackhole"; readonly afterLines: number };

/** `reset`: the connection breaks. `end`: the body ends as if it were complete. */
export type StreamEnd = "reset" | "end";

export interface InjectedAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty by default. */
  readonly body?: string;
}

export interface CutOptions {
  /** Default: `reset`. */
  readonly how?: StreamEnd;
  /** Half of the next line is still delivered. Default: false. */
  readonly midLine?: boolean;
}

/** All that can go wrong. */
export const faults = {
  /** No server listens: ECONNREFUSED. */
  refuse(): RequestFault {
    return { kind: "refuse" };
  },
  /** ECONNRESET before the server has seen the request. */
  reset(): RequestFault {
    return { kind: "reset" };
  },
  /** ECONNRESET after the server has carried out the request: nobody learns of its answer. */
  loseAnswer(): RequestFault {
    return { kind: "loseAnswer" };
  },
  /** Neither an answer nor an end, until the signal aborts. The server does not see the request. */
  neverAnswer(): RequestFault {
    return { kind: "neverAnswer" };
  },
  /** The request waits for `releaseAll`, and then goes to the server. */
  hold(): RequestFault {
    return { kind: "hold" };
  },
  /** The request goes to the server, and its answer waits for `releaseAll`. */
  holdAnswer(): RequestFault {
    return { kind: "holdAnswer" };
  },
  /** An answer that the server did not give. */
  answer(answer: InjectedAnswer): RequestFault {
    return { kind: "answer", answer };
  },
  /**
   * A refusal in the words of the API server, such as `answerStatus("TooManyRequests", { retryAfterSeconds: 1
   * })`.
   */
  answerStatus(reason: StatusReason, options: InjectedStatusOptions = {}): RequestFault {
    const { retryAfterSeconds } = options;
    const status = failureStatus(reason, options);
    const headers = {
      "content-type": "application/json",
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    };
    return { kind: "answer", answer: { status: status.code, headers, body: `${JSON.stringify(status)}\n` } };
  },
  /** The body goes no further than this many lines. */
  cutAfter(afterLines: number, { how = "reset", midLine = false }: CutOptions = {}): LineFault {
    return { kind: "cut", afterLines, how, midLine };
  },
  /** One more line, such as `errorEvent("Expired")`, follows on this many. */
  injectAfter(afterLines: number, line: string): LineFault {
    return { kind: "inject", afterLines, line };
  },
  /** The line that follows on this many loses its second half. */
  garbleAfter(afterLines: number): LineFault {
    return { kind: "garble", afterLines };
  },
  /** After this many lines nothing comes any more and the stream stays open, until `releaseAll`. */
  blackholeAfter(afterLines: number): LineFault {
    return { kind: "blackhole", afterLines };
  },
  /** Every byte comes as a chunk of its own. */
  splitBytes(): StreamFault {
    return { kind: "splitBytes" };
  },
} as const;
