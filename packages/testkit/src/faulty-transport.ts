import type { Transport, TransportRequest, TransportResponse } from "@keelson/core";
import { matchesRequest, refusedResponse } from "@keelson/sandbox";
import { FaultyTransportClosedError } from "./errors.ts";
import { Exchange } from "./exchange.ts";
import {
  connectionRefused,
  connectionReset,
  type Fault,
  type InjectedResponse,
  type StreamEnd,
  type StreamFault,
} from "./fault.ts";
import { type RecordedRequest, type RequestMatch, recordedRequest } from "./recorded-request.ts";
import { spoiledBody } from "./spoiled-body.ts";

export interface FaultOptions {
  /** How many requests it happens to. Default: 1. `Infinity` for all of them. */
  readonly times?: number;
}

/** A fault that was requested. */
export interface InjectedFault {
  /** How many requests it has happened to. */
  readonly used: number;
  /** It happens to no further request. What it holds stays held. */
  remove(): void;
}

/** A transport that passes requests on to the one behind it, except those that a fault is injected into. */
export interface FaultyTransport extends Transport {
  /** Every request, in the order in which they were sent, those included that never reached the server. */
  readonly requests: readonly RecordedRequest[];
  /**
   * Requests for streams that have not ended: they wait for their response, or their body has not been read to
   * its end.
   */
  readonly openStreams: readonly RecordedRequest[];
  /** What waits for `releaseAll`: requests, responses and black-holed streams. */
  readonly heldRequests: readonly RecordedRequest[];
  /**
   * Has the next matching request fail, or alters its response, in all the ways listed. Of several rules that
   * match, the oldest with times left takes the request.
   */
  fault(match: RequestMatch, fault: Fault | readonly StreamFault[], options?: FaultOptions): InjectedFault;
  /** Removes all rules. */
  removeFaults(): void;
  /** Breaks every open stream that matches, by default all, and returns how many these were. */
  cutStreams(match?: RequestMatch, how?: StreamEnd): number;
  /** Has open streams go silent without an end, by default all, and returns how many these were. */
  blackholeStreams(match?: RequestMatch): number;
  /** Lets everything pass that is held, late but whole. Rules stay, and may hold the next request. */
  releaseAll(): void;
}

/** Puts faults in front of a transport, a real one or another. Closing it closes the one behind. */
export function faultyTransport(inner: Transport): FaultyTransport {
  return new RuledTransport(inner);
}

interface Rule extends InjectedFault {
  readonly match: RequestMatch;
  readonly fault: Fault | readonly StreamFault[];
  left: number;
  used: number;
}

class RuledTransport implements FaultyTransport {
  readonly #inner: Transport;
  readonly #requests: RecordedRequest[] = [];
  readonly #exchanges = new Set<Exchange>();
  #rules: readonly Rule[] = [];
  #isClosed = false;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  get openStreams(): readonly RecordedRequest[] {
    return this.#streams({}).map(({ request }) => request);
  }

  get heldRequests(): readonly RecordedRequest[] {
    return [...this.#exchanges].filter(({ isHeld }) => isHeld).map(({ request }) => request);
  }

  fault(match: RequestMatch, fault: Fault | readonly StreamFault[], { times = 1 }: FaultOptions = {}): Rule {
    const remove = (): void => {
      this.#rules = this.#rules.filter((other) => other !== rule);
    };
    const rule: Rule = { match, fault, left: times, used: 0, remove };
    this.#rules = [...this.#rules, rule];
    return rule;
  }

  removeFaults(): void {
    this.#rules = [];
  }

  cutStreams(match: RequestMatch = {}, how: StreamEnd = "reset"): number {
    const streams = this.#streams(match);
    for (const stream of streams) stream.break(how);
    return streams.length;
  }

  blackholeStreams(match: RequestMatch = {}): number {
    const streams = this.#streams(match);
    for (const stream of streams) stream.hold();
    return streams.length;
  }

  releaseAll(): void {
    for (const exchange of this.#exchanges) exchange.release();
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#isClosed) throw new FaultyTransportClosedError();
    request.signal?.throwIfAborted();
    const recorded = recordedRequest(request);
    this.#requests.push(recorded);
    const exchange = new Exchange(recorded, request.signal, (ended) => this.#exchanges.delete(ended));
    this.#exchanges.add(exchange);
    try {
      return await this.#execute(request, exchange, this.#takeFault(recorded));
    } catch (error) {
      exchange.end();
      throw error;
    }
  }

  /** The one behind goes first, so that what it carries fails in its words; then what it knows nothing of. */
  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.#inner.close();
    } finally {
      for (const exchange of this.#exchanges) exchange.break(new FaultyTransportClosedError());
    }
  }

  #streams(match: RequestMatch): readonly Exchange[] {
    return [...this.#exchanges].filter(({ request }) => request.isStream && matchesRequest(match, request));
  }

  #takeFault(request: RecordedRequest): Fault | readonly StreamFault[] {
    const rule = this.#rules.find(({ left, match }) => left > 0 && matchesRequest(match, request));
    if (rule === undefined) return [];
    rule.left -= 1;
    rule.used += 1;
    return rule.fault;
  }

  async #execute(
    request: TransportRequest,
    exchange: Exchange,
    fault: Fault | readonly StreamFault[],
  ): Promise<TransportResponse> {
    if (!("kind" in fault)) return this.#pass(request, exchange, fault);
    switch (fault.kind) {
      case "refuse":
        return exchange.head(Promise.resolve(injectedResponse(refusedResponse(fault.status), exchange)));
      case "refuseConnection":
        throw connectionRefused();
      case "reset":
        throw connectionReset();
      case "loseResponse":
        await this.#pass(request, exchange, []);
        exchange.break("reset");
        throw connectionReset();
      case "neverRespond":
        return exchange.head(Promise.withResolvers<never>().promise);
      case "hold":
        exchange.hold();
        await exchange.passable();
        return this.#pass(request, exchange, []);
      case "holdResponse":
        exchange.hold();
        return this.#pass(request, exchange, []);
      case "respond":
        return exchange.head(Promise.resolve(injectedResponse(fault.response, exchange)));
      case "cut":
      case "inject":
      case "garble":
      case "blackhole":
      case "splitBytes":
        return this.#pass(request, exchange, [fault]);
    }
  }

  async #pass(
    request: TransportRequest,
    exchange: Exchange,
    faults: readonly StreamFault[],
  ): Promise<TransportResponse> {
    const { signal } = exchange;
    const response = await exchange.head(this.#inner.send({ ...request, signal }));
    return { ...response, body: exchange.body(spoiledBody(response.body, faults, exchange)) };
  }
}

function injectedResponse(
  { status, headers = {}, body = "" }: InjectedResponse,
  exchange: Exchange,
): TransportResponse {
  async function* chunks(): AsyncIterable<Uint8Array> {
    if (body !== "") yield new TextEncoder().encode(body);
  }
  return { status, headers, body: exchange.body(chunks()) };
}
