import type { ApiCall, Caller } from "@keelson/client";
import type { Clock, KubeObject, ObjectKey, Resource } from "@keelson/core";
import { isObject, isWrite } from "./call-facts.ts";
import { type Before, type CachedRead, RecordedCall } from "./recorded-call.ts";
import type { CallRecord } from "./run-record.ts";

/** The calls of one run, in the order in which they began, and not more than so many. */
export class RecordedCalls {
  readonly #clock: Clock;
  readonly #limit: number;
  /** Versions from before this run. */
  readonly #earlierVersions: (call: ApiCall) => readonly string[];
  readonly #calls: RecordedCall[] = [];
  #dropped = 0;
  #isRunOver = false;

  constructor(clock: Clock, limit: number, earlierVersions: (call: ApiCall) => readonly string[]) {
    this.#clock = clock;
    this.#limit = limit;
    this.#earlierVersions = earlierVersions;
  }

  get dropped(): number {
    return this.#dropped;
  }

  layer(next: Caller): Caller {
    return {
      json: (call) => this.#ask(call, next),
      stream: (call) => this.#follow(call, next),
      raw: async (call) => {
        const recorded = this.#begin(`get ${call.path.replace(/\?.*$/, "")}`);
        return this.#conclude(recorded, () => next.raw(call));
      },
    };
  }

  /** A read that was no call and took no time. */
  addCachedRead(resource: Resource, { namespace, name }: ObjectKey, read: CachedRead): void {
    const recorded = this.#begin({
      verb: "get",
      resource,
      ...(namespace !== undefined && { namespace }),
      name,
      query: {},
      isStream: false,
    });
    recorded.answerFromCache(read);
  }

  versionsOf(call: ApiCall): readonly string[] {
    const versions: string[] = [];
    for (const recorded of this.#calls) {
      if (recorded.version !== undefined && recorded.isAboutSame(call)) versions.push(recorded.version);
    }
    return versions;
  }

  /** Lets go of all objects. What was not awaited is still recorded. */
  endRun(): void {
    this.#isRunOver = true;
    for (const recorded of this.#calls) recorded.endRun();
  }

  toRecords(): readonly CallRecord[] {
    return this.#calls.map((recorded) => recorded.toRecord());
  }

  async #ask(call: ApiCall, next: Caller): Promise<unknown> {
    const recorded = this.#begin(call);
    if (!isWrite(call)) return this.#conclude(recorded, () => next.json(call));
    // Looked up first: by the time of the answer, the run may have read what this very write has made.
    const before = this.#before(call);
    try {
      const answer = await next.json(call);
      recorded.answerWrite(answer, this.#clock.monotonicNow(), before);
      return answer;
    } catch (error) {
      recorded.fail(error, this.#clock.monotonicNow());
      throw error;
    }
  }

  async #conclude(recorded: RecordedCall, read: () => Promise<unknown>): Promise<unknown> {
    try {
      const answer = await read();
      recorded.answerRead(answer, this.#clock.monotonicNow());
      return answer;
    } catch (error) {
      recorded.fail(error, this.#clock.monotonicNow());
      throw error;
    }
  }

  async *#follow(call: ApiCall, next: Caller): AsyncIterable<Uint8Array> {
    const recorded = this.#begin(call);
    try {
      yield* next.stream(call);
    } catch (error) {
      recorded.fail(error, this.#clock.monotonicNow());
      throw error;
    } finally {
      recorded.finish(this.#clock.monotonicNow());
    }
  }

  /** A run that reads much and then writes is remembered for what it wrote. */
  #begin(call: ApiCall | string): RecordedCall {
    const recorded = new RecordedCall(call, this.#clock.monotonicNow());
    if (this.#isRunOver) recorded.endRun();
    if (this.#calls.length >= this.#limit) {
      this.#dropped += 1;
      const lastRead = recorded.isWrite ? this.#calls.findLastIndex(({ isWrite }) => !isWrite) : -1;
      if (lastRead === -1) return recorded;
      this.#calls.splice(lastRead, 1);
    }
    this.#calls.push(recorded);
    return recorded;
  }

  #before(call: ApiCall): Before {
    const versions = [...this.versionsOf(call), ...this.#earlierVersions(call)];
    const object = this.#lastSeen(call);
    const body = call.body?.value;
    for (const known of [object, isObject(body) ? body : undefined]) {
      if (known?.metadata.resourceVersion !== undefined) versions.push(known.metadata.resourceVersion);
    }
    return { object, versions };
  }

  #lastSeen(call: ApiCall): KubeObject | undefined {
    for (const recorded of this.#calls.toReversed()) {
      const object = recorded.answeredObjectOf(call);
      if (object !== undefined) return object;
    }
    return undefined;
  }
}
