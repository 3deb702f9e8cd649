import type { CommonFault } from "@keelson/sandbox";
import { type InjectedStatusOptions, refusedFor, type StatusReason } from "./injected-status.ts";

/** A failure that the faulty transport injects into a request. Made by the functions of `faults`. */
export type Fault = RequestFault | StreamFault;

/** Decides which response a request gets, or whether it gets one. */
export type RequestFault =
  | Exclude<CommonFault, { readonly kind: "cut" }>
  | { readonly kind: "refuseConnection" | "neverRespond" | "hold" | "holdResponse" }
  | { readonly kind: "respond"; readonly response: InjectedResponse };

/** Changes the body of the response; the server executes the request. */
export type StreamFault = LineFault | { readonly kind: "splitBytes" };

export type LineFault =
  | (Extract<CommonFault, { readonly kind: "cut" }> & {
      readonly how: StreamEnd;
      readonly midLine: boolean;
    })
  | { readonly kind: "inject"; readonly afterLines: number; readonly line: string }
  | { readonly kind: "garble" | "blackhole"; readonly afterLines: number };

/** `reset`: the connection breaks. `end`: the body ends as if it were complete. */
export type StreamEnd = "reset" | "end";

export interface InjectedResponse {
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

/** The faults that the transport can inject. */
export const faults = {
  /** The server refuses the request with a Status, such as `refuse("TooManyRequests", { retryAfterSeconds: 1 })`. */
  refuse(reason: StatusReason, options: InjectedStatusOptions = {}): RequestFault {
    return { kind: "refuse", status: refusedFor(reason, options) };
  },
  /** No server listens: ECONNREFUSED. */
  refuseConnection(): RequestFault {
    return { kind: "refuseConnection" };
  },
  /** ECONNRESET before the server has seen the request. */
  reset(): RequestFault {
    return { kind: "reset" };
  },
  /** ECONNRESET after the server has executed the request: the caller does not get the response. */
  loseResponse(): RequestFault {
    return { kind: "loseResponse" };
  },
  /** Neither a response nor an end, until the signal aborts. The server does not see the request. */
  neverRespond(): RequestFault {
    return { kind: "neverRespond" };
  },
  /** The request waits for `releaseAll`, and is then sent to the server. */
  hold(): RequestFault {
    return { kind: "hold" };
  },
  /** The request is sent to the server, and its response waits for `releaseAll`. */
  holdResponse(): RequestFault {
    return { kind: "holdResponse" };
  },
  /** A response that is not from the server. */
  respond(response: InjectedResponse): RequestFault {
    return { kind: "respond", response };
  },
  /** The body goes no further than this many lines. */
  cutAfter(afterLines: number, { how = "reset", midLine = false }: CutOptions = {}): LineFault {
    return { kind: "cut", afterLines, how, midLine };
  },
  /** One more line, such as `errorEvent("Expired")`, follows after this many. */
  injectAfter(afterLines: number, line: string): LineFault {
    return { kind: "inject", afterLines, line };
  },
  /** The line after this many loses its second half. */
  garbleAfter(afterLines: number): LineFault {
    return { kind: "garble", afterLines };
  },
  /** After this many lines the stream stays open and delivers nothing, until `releaseAll`. */
  blackholeAfter(afterLines: number): LineFault {
    return { kind: "blackhole", afterLines };
  },
  /** Every byte is delivered as a chunk of its own. */
  splitBytes(): StreamFault {
    return { kind: "splitBytes" };
  },
} as const;

/** An error with the code that Node's sockets have, by which callers distinguish errors. */
function socketError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code} (injected)`), { code, syscall });
}

export function connectionRefused(): Error {
  return socketError("ECONNREFUSED", "connect");
}

export function connectionReset(): Error {
  return socketError("ECONNRESET", "read");
}
