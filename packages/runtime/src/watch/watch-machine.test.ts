import { ApiError } from "@keelson/client";
import { type KubeObject, type Random, seededRandom } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { stored } from "../../test/support/stored.ts";
import { IncompleteSyncError, SilentWatchError, VeryShortWatchError } from "./errors.ts";
import { type ObjectEvent, parsedSnapshot, type Snapshot } from "./snapshot.ts";
import type { FailureKind, WatchFailure } from "./watch-failure.ts";
import {
  dueAt,
  idle,
  transition,
  type WatchEffect,
  type WatchInput,
  type WatchRules,
  type WatchState,
} from "./watch-machine.ts";

/** Timeouts and waits are the shortest there are, so that they can be counted on. */
const lowest: Random = { next: () => 0 };

type Effect = WatchEffect<KubeObject>;

/** A machine with a clock. Each call returns its effects, and `all` keeps every effect. */
class Run {
  state: WatchState = idle;
  nowMs = 0;
  readonly all: Effect[] = [];
  readonly #rules: WatchRules;
  readonly #random: Random;

  constructor(rules: Partial<WatchRules> = {}, random: Random = lowest) {
    const defaults = { usesWatchList: true, watchTimeoutSeconds: 0, internalErrorGraceMs: 0 };
    this.#rules = { operation: "watch pods", bookmarkIntervalMs: 60_000, ...defaults, ...rules };
    this.#random = random;
  }

  input(input: WatchInput<KubeObject>): readonly Effect[] {
    const { nowMs } = this;
    const step = transition(this.state, input, { nowMs, random: this.#random, rules: this.#rules });
    this.state = step.state;
    this.all.push(...step.effects);
    return step.effects;
  }

  start(): readonly Effect[] {
    return this.input({ type: "start" });
  }

  /** Started, and synced at version 10 by a watch-list without objects. */
  synced(): this {
    this.start();
    this.input(initialEnd("10"));
    return this;
  }

  end(kind?: FailureKind): readonly Effect[] {
    return this.input(
      kind === undefined ? { type: "streamEnded" } : { type: "streamEnded", failure: failure(kind) },
    );
  }

  /** Lets time pass, with a tick whenever one is due. */
  pass(ms: number): readonly Effect[] {
    const from = this.all.length;
    const untilMs = this.nowMs + ms;
    for (let dueMs = this.dueMs; dueMs <= untilMs; dueMs = this.dueMs) {
      this.nowMs = dueMs;
      this.input({ type: "tick" });
    }
    this.nowMs = untilMs;
    return this.all.slice(from);
  }

  get dueMs(): number {
    return dueAt(this.state, this.#rules) ?? Number.POSITIVE_INFINITY;
  }

  /** The requests to the server so far. */
  get requests(): readonly Effect[] {
    return this.all.filter(({ type }) => type === "openStream" || type === "requestPage");
  }
}

function pod(name: string, resourceVersion: string): Snapshot<KubeObject> {
  const metadata = { name, namespace: "shop", resourceVersion };
  return parsedSnapshot(stored({ apiVersion: "v1", kind: "Pod", metadata }));
}

function event(type: ObjectEvent["type"], name: string, version: string): WatchInput<KubeObject> {
  return { type: "event", event: { type, snapshot: pod(name, version) } };
}

function bookmark(resourceVersion: string): WatchInput<KubeObject> {
  return { type: "event", event: { type: "BOOKMARK", resourceVersion, endsInitialEvents: false } };
}

function initialEnd(resourceVersion: string): WatchInput<KubeObject> {
  return { type: "event", event: { type: "BOOKMARK", resourceVersion, endsInitialEvents: true } };
}

const errors = new Map<FailureKind, Error>();

function failure(kind: FailureKind): WatchFailure {
  const status = { apiVersion: "v1", kind: "Status", message: kind } as const;
  const error = errors.get(kind) ?? new ApiError("watch pods", status);
  errors.set(kind, error);
  return { kind, error };
}

function page(
  items: readonly Snapshot<KubeObject>[],
  resourceVersion: string,
  token = "",
): WatchInput<KubeObject> {
  return { type: "page", items, resourceVersion, continue: token };
}

function listFailed(kind: FailureKind): WatchInput<KubeObject> {
  return { type: "listFailed", failure: failure(kind) };
}

const watchListAt = (resourceVersion: string) =>
  ({ type: "openStream", resourceVersion, sendInitialEvents: true, timeoutSeconds: 300 }) as const;
const watchAt = (resourceVersion: string) =>
  ({ type: "openStream", resourceVersion, sendInitialEvents: false, timeoutSeconds: 300 }) as const;
const report = (kind: FailureKind) => ({ type: "report", error: failure(kind).error }) as const;

describe("the first sync", () => {
  it("[RF1] is a watch-list without a version", () => {
    expect(new Run().start()).toEqual([watchListAt("")]);
  });

  it("[RF1] is repeated later from the last version", () => {
    const run = new Run().synced();
    run.end("expired");
    expect(run.pass(800)).toEqual([watchListAt("10")]);
  });

  it("[RF2] is collected out of sight, then replaces everything and goes on as the live watch", () => {
    const run = new Run();
    run.start();
    const added = event("ADDED", "a", "7");
    expect(run.input(added)).toEqual([{ type: "collect", event: "event" in added && added.event }]);
    expect(run.input(bookmark("8"))).toEqual([]);
    expect(run.input(initialEnd("9"))).toEqual([{ type: "replace", resourceVersion: "9" }]);
    const modified = event("MODIFIED", "a", "11");
    expect(run.input(modified)).toEqual([{ type: "apply", event: "event" in modified && modified.event }]);
    expect(run.requests).toHaveLength(1);
  });

  it.each(["unreachable", "tooManyRequests", "garbled"] as const)(
    "[RF3] begins anew, after a wait, if it is %s",
    (kind) => {
      const run = new Run();
      run.start();
      run.input(event("ADDED", "a", "7"));
      expect(run.end(kind)).toEqual([{ type: "discard" }, report(kind)]);
      expect(run.pass(799)).toEqual([]);
      expect(run.pass(1)).toEqual([watchListAt("")]);
    },
  );

  it("[RF3] begins anew, after a wait, if it ends too early", () => {
    const run = new Run();
    run.start();
    run.input(event("ADDED", "a", "7"));
    expect(run.end()).toEqual([
      { type: "discard" },
      { type: "report", error: new IncompleteSyncError("watch pods") },
    ]);
    expect(run.pass(800)).toEqual([watchListAt("")]);
  });

  it.each(["expired", "versionTooLarge"] as const)(
    "[RF3] drops a version that is %s, and requests the newest state at once",
    (kind) => {
      const run = new Run().synced();
      run.end("other");
      run.pass(800);
      expect(run.end(kind)).toEqual([{ type: "discard" }, report(kind), watchListAt("")]);
      expect(run.end(kind)).toEqual([
        { type: "discard" },
        report(kind),
        { type: "requestPage", request: { resourceVersion: "", limit: 500 } },
      ]);
    },
  );

  it.each(["other", "internal", "timeout"] as const)(
    "[RF3] is a list, for this round, if it fails by %s",
    (kind) => {
      const run = new Run();
      run.start();
      const request = { resourceVersion: "0", limit: 500 };
      expect(run.end(kind)).toEqual([{ type: "discard" }, report(kind), { type: "requestPage", request }]);
      run.input(listFailed("other"));
      expect(run.pass(800)).toEqual([watchListAt("")]);
    },
  );

  it("[RF3] is a list, for this round, if the stream ends as soon as it begins", () => {
    const run = new Run();
    run.start();
    expect(run.end()).toEqual([
      { type: "discard" },
      { type: "report", error: new VeryShortWatchError("watch pods") },
      { type: "requestPage", request: { resourceVersion: "0", limit: 500 } },
    ]);
  });

  it("[RF4] is warned about every 10 s in which nothing comes", () => {
    const run = new Run();
    run.start();
    expect(run.pass(9_999)).toEqual([]);
    expect(run.pass(1)).toEqual([
      {
        type: "warn",
        message:
          "watch pods: still waiting for the first objects, of which 0 have come; nothing was received for 10 s",
      },
    ]);
    run.pass(5_000);
    for (let count = 0; count < 100; count += 1) run.input(event("ADDED", `a-${count}`, "7"));
    expect(run.pass(9_999)).toEqual([]);
    expect(run.pass(1)).toEqual([
      expect.objectContaining({ message: expect.stringContaining("100 have come") }),
    ]);
  });
});

describe("a watch-list that the server takes for an ordinary watch", () => {
  const firstList = { type: "requestPage", request: { resourceVersion: "0", limit: 500 } } as const;
  const fallback = [
    { type: "abandon" },
    { type: "discard" },
    { type: "rememberIgnoredWatchList" },
    firstList,
  ] as const;
  const isWarning = ({ type }: Effect) => type === "warn";

  it("[RF21] is replaced by a list after 20 s without the bookmark", () => {
    const run = new Run();
    run.start();
    expect(run.pass(19_999).filter((effect) => !isWarning(effect))).toEqual([]);
    expect(run.pass(1)).toEqual(fallback);
    expect(run.input(page([], "10"))).toContainEqual(watchAt("10"));
  });

  it("[RF21] is replaced, too, while objects are changed and created all the time", () => {
    const run = new Run();
    run.start();
    for (let second = 0; second < 19; second += 1) {
      run.pass(1_000);
      for (let count = 0; count < 50; count += 1) run.input(event("MODIFIED", `a-${count}`, "7"));
      run.input(event("ADDED", `new-${second}`, "7"));
      run.input(bookmark("8"));
    }
    expect(run.requests).toHaveLength(1);
    expect(run.pass(1_000)).toEqual(fallback);
  });

  it("[RF21] is replaced by a list when the server ends it in time without the bookmark", () => {
    const run = new Run();
    run.start();
    for (let second = 0; second < 300; second += 1) {
      run.pass(1_000);
      for (let count = 0; count < 10; count += 1) run.input(event("ADDED", `a-${second}-${count}`, "7"));
    }
    expect(run.end()).toEqual([
      { type: "discard" },
      { type: "report", error: new IncompleteSyncError("watch pods") },
      firstList,
    ]);
  });

  it("[RF21] is not confused with one that delivers objects for minutes", () => {
    const run = new Run();
    run.start();
    for (let second = 0; second < 250; second += 1) {
      run.pass(1_000);
      for (let count = 0; count < 10; count += 1) run.input(event("ADDED", `a-${second}-${count}`, "7"));
    }
    expect(run.input(initialEnd("9"))).toEqual([{ type: "replace", resourceVersion: "9" }]);
    expect(run.requests).toHaveLength(1);
  });
});

describe("a resource version that no server accepts", () => {
  const invalid = ["abc", "18446744073709551616", "999999999999999999999999999999", "-1", "1.5", "0x10"];
  const suspect = (): WatchFailure => ({ ...failure("other"), isVersionSuspect: true });

  it.each(invalid)("[RF22] is not resumed from if an event or a bookmark has it: %s", (version) => {
    const run = new Run().synced();
    run.input(event("MODIFIED", "a", "12"));
    const odd = run.input(event("MODIFIED", "a", version));
    expect(odd.map(({ type }) => type)).toEqual(["apply", "warn"]);
    expect(run.input(bookmark(version))).toEqual([{ type: "bookmark", resourceVersion: "12" }]);
    run.pass(2_000);
    expect(run.end()).toEqual([watchAt("12")]);
    run.input(event("MODIFIED", "a", "14"));
    expect(run.end()).toEqual([watchAt("14")]);
  });

  it("[RF22] is resumed from where a server has no others", () => {
    const run = new Run({ usesWatchList: false });
    run.start();
    run.input(page([], "v1-a"));
    expect(run.input(event("MODIFIED", "a", "v1-b"))).toHaveLength(1);
    run.pass(2_000);
    expect(run.end()).toEqual([watchAt("v1-b")]);
  });

  it.each([true, false])(
    "[RF22] leads to one list of the newest state if it is refused (watch-list: %s)",
    (usesWatchList) => {
      const run = new Run({ usesWatchList });
      run.start();
      run.input(usesWatchList ? initialEnd("abc") : page([], "abc"));
      run.input({ type: "streamEnded", failure: suspect() });
      run.pass(800);
      if (usesWatchList) run.input({ type: "streamEnded", failure: suspect() });
      const newest = { type: "requestPage", request: { resourceVersion: "", limit: 500 } } as const;
      expect(run.input({ type: "listFailed", failure: suspect() })).toContainEqual(newest);
      // The newest state was refused, too: it was not the version. The next attempt comes after a wait, and without it.
      expect(run.input({ type: "listFailed", failure: suspect() })).toEqual([
        { type: "discard" },
        report("other"),
      ]);
      const next = run.pass(1_600);
      expect(next).toEqual([usesWatchList ? watchListAt("") : newest]);
      if (usesWatchList) run.input(initialEnd("20"));
      else run.input(page([], "20"));
      run.pass(2_000);
      expect(run.end()).toEqual([watchAt("20")]);
    },
  );
});

describe("a list", () => {
  const listing = () => new Run({ usesWatchList: false });
  const request = (run: Run) => {
    const last = run.requests.at(-1);
    return last?.type === "requestPage" ? last.request : last;
  };

  it("[RF5] accepts any cached version the first time, and later nothing older than what was seen", () => {
    const run = listing();
    run.start();
    expect(request(run)).toEqual({ resourceVersion: "0", limit: 500 });
    run.input(page([], "10"));
    run.input(event("ADDED", "a", "12"));
    run.end("expired");
    run.pass(800);
    expect(request(run)).toEqual({ resourceVersion: "12" });
  });

  it.each(["expired", "versionTooLarge"] as const)(
    "[RF5] is repeated at once for the newest state if its version is %s",
    (kind) => {
      const run = listing();
      run.start();
      run.input(page([], "10"));
      run.end("other");
      run.pass(800);
      const newest = { resourceVersion: "", limit: 500 };
      expect(run.input(listFailed(kind))).toEqual([
        report(kind),
        { type: "discard" },
        { type: "requestPage", request: newest },
      ]);
      expect(run.input(listFailed(kind))).toEqual([{ type: "discard" }, report(kind)]);
      run.pass(1600);
      expect(request(run)).toEqual(newest);
      run.input(page([], "5"));
      run.end("other");
      run.pass(30_000);
      expect(request(run)).toEqual({ resourceVersion: "5" });
    },
  );

  it("[RF6] goes from page to page without a version, and is delivered in one step", () => {
    const run = listing();
    run.start();
    expect(run.input(page([pod("a", "3")], "10", "more"))).toEqual([
      { type: "collectPage", items: [pod("a", "3")] },
      { type: "requestPage", request: { limit: 500, continue: "more" } },
    ]);
    expect(run.input(page([pod("b", "12")], "10"))).toEqual([
      { type: "collectPage", items: [pod("b", "12")] },
      { type: "replace", resourceVersion: "10" },
      watchAt("10"),
    ]);
  });

  it("[RF6] is paged later, too, once the first one was, because the server has no watch cache then", () => {
    const run = listing();
    run.start();
    run.input(page([], "10", "more"));
    run.input(page([], "10"));
    run.end("other");
    run.pass(800);
    expect(request(run)).toEqual({ resourceVersion: "10", limit: 500 });
  });

  it("[RF6] of the newest state proves nothing about the watch cache when it is paged", () => {
    const run = listing();
    run.start();
    run.input(listFailed("expired"));
    expect(request(run)).toEqual({ resourceVersion: "", limit: 500 });
    run.input(page([], "10", "more"));
    run.input(page([], "10"));
    run.end("other");
    run.pass(1600);
    expect(request(run)).toEqual({ resourceVersion: "10" });
  });

  it("[RF6] whose second page has expired is repeated once without pages, from nothing", () => {
    const run = listing();
    run.start();
    run.input(page([pod("a", "3")], "10", "more"));
    expect(run.input(listFailed("expired"))).toEqual([
      report("expired"),
      { type: "discard" },
      { type: "requestPage", request: { resourceVersion: "0" } },
    ]);
    expect(run.input(page([], "14"))).toContainEqual({ type: "replace", resourceVersion: "14" });
  });

  it("[RF7] leads to a watch from the version of the list, not of its newest item", () => {
    const run = listing();
    run.start();
    expect(run.input(page([pod("a", "99")], "50"))).toContainEqual(watchAt("50"));
  });

  it.each(["other", "unreachable", "timeout", "tooManyRequests"] as const)(
    "that fails by %s is repeated after a wait",
    (kind) => {
      const run = listing();
      run.start();
      expect(run.input(listFailed(kind))).toEqual([{ type: "discard" }, report(kind)]);
      expect(run.pass(799)).toEqual([]);
      run.pass(1);
      expect(run.requests).toHaveLength(2);
    },
  );
});

describe("a live watch", () => {
  it("[RF8] lasts between 300 s and 600 s, however little was configured", () => {
    const run = new Run({ watchTimeoutSeconds: 5 }, seededRandom(1)).synced();
    for (let count = 0; count < 300; count++) {
      run.input(bookmark("10"));
      run.end();
    }
    const seconds = run.requests.map((effect) => ("timeoutSeconds" in effect ? effect.timeoutSeconds : 0));
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.min(...seconds)).toBeLessThan(310);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(600);
    expect(Math.max(...seconds)).toBeGreaterThan(590);
  });

  it("[RF8] lasts longer if longer is configured", () => {
    const [first] = new Run({ watchTimeoutSeconds: 900 }).start();
    expect(first).toEqual({ ...watchListAt(""), timeoutSeconds: 900 });
  });

  it("[RF9] that ends is opened again at once, from the last version", () => {
    const run = new Run().synced();
    run.input(event("ADDED", "a", "12"));
    expect(run.end()).toEqual([watchAt("12")]);
    run.nowMs += 1_000;
    expect(run.end()).toEqual([watchAt("12")]);
  });

  it("[RF9] that ends within a second and without an event is opened again after a wait", () => {
    const run = new Run().synced();
    run.end();
    run.nowMs += 999;
    expect(run.end()).toEqual([{ type: "report", error: new VeryShortWatchError("watch pods") }]);
    expect(run.pass(799)).toEqual([]);
    expect(run.pass(1)).toEqual([watchAt("10")]);
  });

  it.each(["ADDED", "MODIFIED", "DELETED"] as const)("[RF10] is at the version of the last %s", (type) => {
    const run = new Run().synced();
    run.input(event(type, "a", "12"));
    expect(run.end()).toEqual([watchAt("12")]);
  });

  it("[RF10] is at the version of the last bookmark", () => {
    const run = new Run().synced();
    expect(run.input(bookmark("15"))).toEqual([{ type: "bookmark", resourceVersion: "15" }]);
    expect(run.end()).toEqual([watchAt("15")]);
  });

  it.each(["", "0"])(
    "[RF10] that began at %j has no version before something else than ADDED comes",
    (version) => {
      const run = new Run({ usesWatchList: false });
      run.start();
      run.input(page([], version));
      run.input(event("ADDED", "a", "12"));
      expect(run.end()).toEqual([watchAt(version)]);
      run.input(event("ADDED", "a", "12"));
      run.input(event("MODIFIED", "b", "14"));
      run.input(event("ADDED", "c", "16"));
      expect(run.end()).toEqual([watchAt("16")]);
    },
  );

  it("[RF11] that has expired leads to a sync from the last version, not from none", () => {
    const run = new Run().synced();
    run.input(event("ADDED", "a", "12"));
    expect(run.end("expired")).toEqual([report("expired")]);
    expect(run.pass(800)).toEqual([watchListAt("12")]);
  });

  it.each(["tooManyRequests", "timeout", "garbled"] as const)(
    "[RF11] [RF12] [RF20] that fails by %s waits and goes on, without a sync",
    (kind) => {
      const run = new Run().synced();
      expect(run.end(kind)).toEqual([report(kind)]);
      expect(run.pass(799)).toEqual([]);
      expect(run.pass(1)).toEqual([watchAt("10")]);
    },
  );

  it("[RF13] waits for five minutes at most if Retry-After demands more", () => {
    const run = new Run().synced();
    run.input({ type: "streamEnded", failure: { ...failure("tooManyRequests"), retryAfterMs: 1e12 } });
    expect(run.pass(299_999)).toEqual([]);
    expect(run.pass(1)).toEqual([watchAt("10")]);
  });

  it("waits as long as Retry-After demands", () => {
    const run = new Run().synced();
    run.input({ type: "streamEnded", failure: { ...failure("tooManyRequests"), retryAfterMs: 5_000 } });
    expect(run.pass(4_999)).toEqual([]);
    expect(run.pass(1)).toEqual([watchAt("10")]);
  });

  it("[RF11] that ends with an internal error leads to a sync, if there is no grace", () => {
    const run = new Run().synced();
    run.end("internal");
    expect(run.pass(800)).toEqual([watchListAt("10")]);
  });

  it("[RF11] that ends with internal errors goes on without a sync for as long as the grace lasts", () => {
    const run = new Run({ internalErrorGraceMs: 5_000 }).synced();
    run.end("internal");
    expect(run.pass(800)).toEqual([watchAt("10")]);
    run.end("internal");
    expect(run.pass(1600)).toEqual([watchAt("10")]);
    run.end("internal");
    expect(run.pass(3200)).toEqual([watchAt("10")]);
    run.end("internal");
    expect(run.pass(6400)).toEqual([watchListAt("10")]);
    run.input(initialEnd("11"));
    run.end("internal");
    expect(run.pass(12_800)).toEqual([watchAt("11")]);
  });

  it("[RF11] gives internal errors a new grace after a minute without one", () => {
    const run = new Run({ internalErrorGraceMs: 5_000 }).synced();
    run.end("internal");
    run.pass(800);
    run.input(bookmark("11"));
    run.pass(60_000);
    run.end("internal");
    expect(run.pass(1600)).toEqual([watchAt("11")]);
  });

  it.each(["other", "versionTooLarge"] as const)(
    "[RF11] [RF12] that fails by %s leads to a sync after a wait",
    (kind) => {
      const run = new Run().synced();
      expect(run.end(kind)).toEqual([report(kind)]);
      expect(run.pass(799)).toEqual([]);
      expect(run.pass(1)).toEqual([watchListAt("10")]);
    },
  );

  it("[RF12] that cannot be opened, because the server is unreachable, is tried again after a wait, without a sync", () => {
    const run = new Run().synced();
    run.end();
    expect(run.end("unreachable")).toEqual([report("unreachable")]);
    expect(run.pass(800)).toEqual([watchAt("10")]);
    run.end("unreachable");
    expect(run.pass(1_599)).toEqual([]);
    expect(run.pass(1)).toEqual([watchAt("10")]);
  });

  it("that delivered events and breaks is opened again at once, from the last version", () => {
    const run = new Run().synced();
    expect(run.end("unreachable")).toEqual([report("unreachable"), watchAt("10")]);
  });

  it("[RF14] skips an event about another kind, and does not take its version", () => {
    const run = new Run().synced();
    expect(run.input({ type: "unexpectedEvent", description: "a Table" })).toEqual([
      { type: "warn", message: "watch pods: a Table" },
    ]);
    expect(run.end()).toEqual([watchAt("10")]);
  });

  it("[RF17] that has delivered a bookmark and is then silent for three more is opened again, without a sync", () => {
    const run = new Run().synced();
    run.pass(179_999);
    run.input(event("ADDED", "a", "12"));
    expect(run.pass(179_999)).toEqual([]);
    expect(run.pass(1)).toEqual([
      { type: "abandon" },
      { type: "report", error: new SilentWatchError("watch pods", 180_000) },
      watchAt("12"),
    ]);
  });

  it("[RF17] that has delivered no bookmark is left alone until 30 s after the server should have ended it", () => {
    const run = new Run().synced();
    run.end();
    run.input(event("ADDED", "a", "12"));
    expect(run.pass(329_999)).toEqual([]);
    expect(run.pass(1)).toEqual([
      { type: "abandon" },
      { type: "report", error: new SilentWatchError("watch pods", 330_000) },
      watchAt("12"),
    ]);
  });

  it("[RF18] of a quiet kind is opened at most 12 times an hour, and nothing is listed all day", () => {
    const run = new Run({}, seededRandom(3)).synced();
    const perHour: number[] = [];
    for (let hour = 0; hour < 24; hour++) {
      const before = run.requests.length;
      quietHour(run);
      perHour.push(run.requests.length - before);
    }
    expect(Math.max(...perHour)).toBeLessThanOrEqual(12);
    expect(Math.min(...perHour)).toBeGreaterThanOrEqual(5);
    expect(run.all.filter(({ type }) => type === "report")).toEqual([]);
    expect(
      run.requests.slice(1).every((effect) => "sendInitialEvents" in effect && !effect.sendInitialEvents),
    ).toBe(true);
  });

  it("[RF19] does not order versions: a server may send any text", () => {
    const run = new Run();
    run.start();
    run.input(initialEnd("b-7"));
    run.input(event("MODIFIED", "a", "a-9"));
    expect(run.end()).toEqual([watchAt("a-9")]);
  });
});

/** An hour as a healthy server makes it: a bookmark each minute, and the end of each watch when its time is up. */
function quietHour(run: Run): void {
  for (let minute = 0; minute < 60; minute++) {
    run.pass(60_000);
    if (run.state.phase !== "watching") throw new Error(`a quiet watch is ${run.state.phase}`);
    if (run.nowMs >= run.state.stream.overdueAtMs - 30_000) run.end();
    else run.input(bookmark("10"));
  }
}

describe("a machine", () => {
  it("[RF15] that is stopped ends the open request and does nothing any more", () => {
    const run = new Run();
    run.start();
    expect(run.input({ type: "stop" })).toEqual([{ type: "abandon" }, { type: "discard" }]);
    const inputs = [
      initialEnd("9"),
      event("ADDED", "a", "7"),
      { type: "streamEnded" },
      { type: "tick" },
    ] as const;
    for (const input of [...inputs, { type: "stop" } as const]) expect(run.input(input)).toEqual([]);
    expect(run.dueMs).toBe(Number.POSITIVE_INFINITY);
  });

  it("[RF15] can be stopped in every phase", () => {
    const waiting = new Run();
    waiting.start();
    waiting.end("unreachable");
    const listing = new Run({ usesWatchList: false });
    listing.start();
    for (const run of [new Run(), waiting, listing, new Run().synced()]) {
      run.input({ type: "stop" });
      expect(run.state).toEqual({ phase: "stopped" });
    }
  });

  it("[RF16] reports the error that ends a list or a watch early", () => {
    const kinds = [
      "expired",
      "versionTooLarge",
      "tooManyRequests",
      "internal",
      "unreachable",
      "timeout",
    ] as const;
    for (const kind of [...kinds, "garbled", "other"] as const) {
      const streaming = new Run();
      streaming.start();
      const listing = new Run({ usesWatchList: false });
      listing.start();
      expect(streaming.end(kind)).toContainEqual(report(kind));
      expect(listing.input(listFailed(kind))).toContainEqual(report(kind));
      expect(new Run().synced().end(kind)).toContainEqual(report(kind));
    }
  });

  it("passes everything to the sink again, after a wait, when it may have missed an event", () => {
    const run = new Run().synced();
    expect(run.input({ type: "sinkFailed", failure: failure("other") })).toEqual([
      { type: "abandon" },
      { type: "discard" },
      report("other"),
    ]);
    expect(run.pass(800)).toEqual([watchListAt("10")]);
  });

  it("[EV8] retries a kind that does not exist yet every ten seconds, but not one that existed before", () => {
    const missing = { ...failure("other"), isMissing: true };
    const waitAfterFailures = (run: Run): number => {
      for (let attempt = 0; attempt < 8; attempt++) {
        run.input({ type: "streamEnded", failure: missing });
        run.input({ type: "listFailed", failure: missing });
        if (attempt < 7) run.pass(run.dueMs - run.nowMs);
      }
      return run.dueMs - run.nowMs;
    };
    const run = new Run();
    run.start();
    expect(waitAfterFailures(run)).toBe(10_000);
    expect(waitAfterFailures(new Run().synced())).toBe(30_000);
  });

  it("[RF13] sends at most 0.07 requests a second to a dead server", () => {
    const run = new Run();
    run.start();
    for (let attempt = 0; attempt < 7; attempt++) {
      run.end("unreachable");
      run.pass(run.dueMs - run.nowMs);
    }
    const before = { requests: run.requests.length, nowMs: run.nowMs };
    while (run.nowMs < before.nowMs + 3_600_000) {
      run.end("unreachable");
      run.pass(run.dueMs - run.nowMs);
    }
    const perSecond = (run.requests.length - before.requests) / ((run.nowMs - before.nowMs) / 1000);
    expect(perSecond).toBeLessThanOrEqual(0.07);
    expect(perSecond).toBeGreaterThan(0.01);
  });
});
