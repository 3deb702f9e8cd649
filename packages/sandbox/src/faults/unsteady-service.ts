import {
  type Clock,
  DropConnectionError,
  type HttpService,
  type ServiceRequest,
  type ServiceResponse,
  sleep,
} from "@keelson/core";
import type { Store } from "../store/store.ts";
import { breakable } from "./breakable-body.ts";
import type { Fault, FaultRule, Faults } from "./fault.ts";
import { refusal } from "./refusal.ts";
import {
  isWatch,
  matchesRequest,
  type RequestMatch,
  type SeenRequest,
  seenRequest,
} from "./request-match.ts";

export interface UnsteadyService {
  readonly service: HttpService;
  readonly faults: Faults;
  /** Of reads that may be old; undefined: the present. */
  staleRevision(): number | undefined;
}

/** Puts faults between a server and whoever calls it. Without a fault a request passes untouched. */
export function unsteadyService(inner: HttpService, store: Store, clock: Clock): UnsteadyService {
  const unsteady = new Unsteady(inner, store, clock);
  return {
    service: (request) => unsteady.answer(request),
    faults: unsteady,
    staleRevision: () => unsteady.staleRevision,
  };
}

interface ActiveRule {
  readonly rule: FaultRule;
  left: number;
}

interface OpenExchange {
  readonly seen: SeenRequest;
  readonly cut: AbortController;
}

class Unsteady implements Faults {
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
    const open = [...this.#open].filter(({ seen }) => isWatch(seen) && matchesRequest(match, seen));
    for (const { cut } of open) cut.abort(new DropConnectionError("a watch was cut"));
    return open.length;
  }

  async restart(downMs: number): Promise<void> {
    this.#isDown = true;
    for (const { cut } of [...this.#open]) cut.abort(new DropConnectionError("the server restarts"));
    // A new server begins its memory of changes anew.
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

  async answer(request: ServiceRequest): Promise<ServiceResponse> {
    if (this.#isDown) throw new DropConnectionError("the server is down");
    const seen = seenRequest(request);
    const fault = this.#take(seen);
    const exchange: OpenExchange = { seen, cut: new AbortController() };
    // One signal for both ends of it: each request pays for what would join two.
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
      const answer = await this.#carryOut({ ...request, signal }, fault);
      const { body } = answer;
      if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
        close();
        return answer;
      }
      const afterLines = fault?.kind === "cut" ? fault.afterLines : undefined;
      return { ...answer, body: breakable(body, { cut: exchange.cut.signal, afterLines, close }) };
    } catch (error) {
      close();
      exchange.cut.signal.throwIfAborted();
      throw error;
    }
  }

  async #carryOut(request: ServiceRequest, fault: Fault | undefined): Promise<ServiceResponse> {
    if (fault?.kind === "refuse") return refusal(fault.status);
    if (fault?.kind === "drop") throw new DropConnectionError("a request was dropped");
    if (fault?.kind === "delay") await sleep(this.#clock, fault.delayMs, request.signal);
    const answer = await this.#inner(request);
    if (fault?.kind === "delayAnswer") await sleep(this.#clock, fault.delayMs, request.signal);
    if (fault?.kind === "loseAnswer") throw new DropConnectionError("an answer was lost");
    request.signal.throwIfAborted();
    return answer;
  }

  #take(seen: SeenRequest): Fault | undefined {
    const active = this.#rules.find(({ rule, left }) => left > 0 && matchesRequest(rule.match ?? {}, seen));
    if (active === undefined) return undefined;
    active.left--;
    if (active.left === 0) this.#rules = this.#rules.filter((other) => other !== active);
    return active.rule.fault;
  }
}
