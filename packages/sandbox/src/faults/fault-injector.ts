import {
  type Clock,
  DropConnectionError,
  type HttpService,
  type ServiceRequest,
  type ServiceResponse,
  sleep,
} from "@keelson/core";
import type { Store } from "../store/store.ts";
import { cuttableBody } from "./cut-body.ts";
import { type Fault, type FaultRule, type Faults, refusedResponse } from "./fault.ts";
import {
  isWatch,
  type MatchedRequest,
  matchedRequest,
  matchesRequest,
  type RequestMatch,
} from "./request-match.ts";

export interface FaultInjector {
  /** The service with the faults of the rules. */
  readonly service: HttpService;
  readonly faults: Faults;
  /** The revision of reads that allow old data; undefined: the current one. */
  staleRevision(): number | undefined;
}

/** Injects faults into the requests for a server. A request that no rule matches passes unchanged. */
export function createFaultInjector(inner: HttpService, store: Store, clock: Clock): FaultInjector {
  const injector = new RuleInjector(inner, store, clock);
  return {
    service: (request) => injector.handle(request),
    faults: injector,
    staleRevision: () => injector.staleRevision,
  };
}

interface ActiveRule {
  readonly rule: FaultRule;
  left: number;
}

interface OpenExchange {
  readonly request: MatchedRequest;
  readonly cut: AbortController;
}

class RuleInjector implements Faults {
  readonly #inner: HttpService;
  readonly #store: Store;
  readonly #clock: Clock;
  #rules: ActiveRule[] = [];
  readonly #open = new Set<OpenExchange>();
  #isDown = false;
  staleRevision: number | undefined;

  constructor(inner: HttpService, store: Store, clock: Clock) {
    this.#inner = inner;
    this.#store = store;
    this.#clock = clock;
  }

  add(rule: FaultRule): () => void {
    const active: ActiveRule = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.push(active);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== active);
    };
  }

  clear(): void {
    this.#rules = [];
    this.staleRevision = undefined;
  }

  cutWatches(match: RequestMatch = {}): number {
    const open = [...this.#open].filter(({ request }) => isWatch(request) && matchesRequest(match, request));
    for (const { cut } of open) cut.abort(new DropConnectionError("a watch was cut"));
    return open.length;
  }

  async restart(downMs: number): Promise<void> {
    this.#isDown = true;
    for (const { cut } of [...this.#open]) cut.abort(new DropConnectionError("the server restarts"));
    // The watch cache of a new server has no history.
    this.compact();
    await sleep(this.#clock, downMs);
    this.#isDown = false;
  }

  compact(): void {
    this.#store.compact(this.#store.revision);
  }

  freezeReads(): () => void {
    const frozen = this.#store.revision;
    this.staleRevision = frozen;
    return () => {
      if (this.staleRevision === frozen) this.staleRevision = undefined;
    };
  }

  async handle(request: ServiceRequest): Promise<ServiceResponse> {
    if (this.#isDown) throw new DropConnectionError("the server is down");
    const matched = matchedRequest(request);
    const fault = this.#takeFault(matched);
    const exchange: OpenExchange = { request: matched, cut: new AbortController() };
    // One signal for the client and for faults: joining two signals would cost time in every request.
    const { signal } = exchange.cut;
    const onAbort = (): void => exchange.cut.abort(request.signal.reason);
    request.signal.addEventListener("abort", onAbort, { once: true });
    this.#open.add(exchange);
    const close = (): void => {
      this.#open.delete(exchange);
      request.signal.removeEventListener("abort", onAbort);
    };
    try {
      request.signal.throwIfAborted();
      const response = await this.#execute({ ...request, signal }, fault);
      const { body } = response;
      if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
        close();
        return response;
      }
      const afterLines = fault?.kind === "cut" ? fault.afterLines : undefined;
      return { ...response, body: cuttableBody(body, { cut: exchange.cut.signal, afterLines, close }) };
    } catch (error) {
      close();
      exchange.cut.signal.throwIfAborted();
      throw error;
    }
  }

  async #execute(request: ServiceRequest, fault: Fault | undefined): Promise<ServiceResponse> {
    if (fault?.kind === "refuse") return refusedResponse(fault.status);
    if (fault?.kind === "reset") throw new DropConnectionError("a connection was reset");
    if (fault?.kind === "delay") await sleep(this.#clock, fault.delayMs, request.signal);
    const response = await this.#inner(request);
    if (fault?.kind === "delayResponse") await sleep(this.#clock, fault.delayMs, request.signal);
    if (fault?.kind === "loseResponse") throw new DropConnectionError("a response was lost");
    request.signal.throwIfAborted();
    return response;
  }

  #takeFault(request: MatchedRequest): Fault | undefined {
    const active = this.#rules.find(
      ({ rule, left }) => left > 0 && matchesRequest(rule.match ?? {}, request),
    );
    if (active === undefined) return undefined;
    active.left--;
    if (active.left === 0) this.#rules = this.#rules.filter((other) => other !== active);
    return active.rule.fault;
  }
}
