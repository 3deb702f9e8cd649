import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import type { ControllerSettings } from "./controller-definition.ts";
import { WorkInbox } from "./work-inbox.ts";

function inboxWorld(settings: ControllerSettings = {}) {
  const clock = new VirtualClock();
  const definition = {
    name: "test",
    formatKey: (key: string) => key,
    namespaceOf: (key: string) => key.slice(0, key.indexOf("/")),
    sources: [],
    reconcile: () => undefined,
    settings,
  };
  const inbox = new WorkInbox<string>(definition, clock, undefined);
  const take = async () => {
    const taken = await inbox.get();
    if (taken === "shutdown") throw new Error("the inbox is shut down");
    inbox.taken(taken.item);
    return { ...taken, queuedMs: clock.monotonicNow() - taken.item.readyAtMs };
  };
  const add = (key: string, options: { priority?: number; afterMs?: number; source?: string } = {}) => {
    const { source = "test", ...rest } = options;
    inbox.enqueue(key, { trigger: { source, type: "update" }, ...rest });
  };
  return { clock, inbox, take, add };
}

describe("reasons", () => {
  it("gather while a key waits, and begin anew when it is taken", async () => {
    const { inbox, take, add } = inboxWorld();
    add("a", { source: "one" });
    add("a", { source: "two" });
    const first = await take();
    add("a", { source: "three" });
    expect(first.item.reasons.map(({ source }) => source)).toEqual(["one", "two"]);
    inbox.done(first.item);
    expect((await take()).item.reasons.map(({ source }) => source)).toEqual(["three"]);
  });

  it("are kept when a key is put back, before those that came meanwhile", async () => {
    const { clock, inbox, take, add } = inboxWorld();
    for (let i = 0; i < 15; i++) add("a", { source: `early ${i}` });
    const first = await take();
    for (let i = 0; i < 15; i++) add("a", { source: `late ${i}` });
    inbox.putBack(first.item, 0, 100);
    inbox.done(first.item);
    await clock.advance(100);
    const { item } = await take();
    expect(item.reasonCount).toBe(30);
    expect(item.reasons.map(({ source }) => source)).toEqual([
      ...Array.from({ length: 15 }, (_, i) => `early ${i}`),
      "late 0",
    ]);
  });

  it("say whether the last run asked for this one or failed", async () => {
    const { clock, inbox, take, add } = inboxWorld();
    add("a");
    const first = await take();
    inbox.requeueAfter(first.item, 0, 10);
    inbox.done(first.item);
    await clock.advance(10);
    const second = await take();
    expect(second.item.reasons).toEqual([{ source: "requeue", type: "requeue" }]);
    expect(inbox.retry(second.item, 0, true)).toBe(5);
    inbox.done(second.item);
    await clock.advance(5);
    expect((await take()).item.reasons).toEqual([{ source: "retry", type: "retry" }]);
  });
});

describe("the time that a key waits for a worker", () => {
  it("begins when it may run, not when it was asked for", async () => {
    const { clock, take, add } = inboxWorld();
    add("a", { afterMs: 100 });
    await clock.advance(130);
    expect(await take()).toMatchObject({ queuedMs: 30 });
  });

  it("begins with the event that ends a delay", async () => {
    const { clock, take, add } = inboxWorld();
    add("a", { afterMs: 100 });
    await clock.advance(50);
    add("a");
    await clock.advance(7);
    expect(await take()).toMatchObject({ queuedMs: 7 });
  });

  it("begins with the end of a back-off that holds, whatever comes meanwhile", async () => {
    const { clock, inbox, take, add } = inboxWorld({ backoff: "seed", holdBackoff: true });
    add("a");
    const first = await take();
    inbox.retry(first.item, 0, true);
    inbox.done(first.item);
    add("a");
    await clock.advance(1003);
    expect(await take()).toMatchObject({ queuedMs: 3 });
  });
});

it("hands out higher priorities first", async () => {
  const { take, add } = inboxWorld();
  add("low", { priority: -100 });
  add("high");
  expect((await take()).item.key).toBe("high");
});

it("lets namespaces take turns where that is wanted", async () => {
  const { take, add } = inboxWorld({ fairNamespaces: true });
  for (const key of ["busy/1", "busy/2", "busy/3", "calm/1"]) add(key);
  const order = [await take(), await take(), await take(), await take()].map(({ item }) => item.key);
  expect(order).toEqual(["busy/1", "calm/1", "busy/2", "busy/3"]);
});

it("keeps nothing and takes nothing in once it is shut down", async () => {
  const { clock, inbox, add, take } = inboxWorld();
  add("a");
  const { item } = await take();
  add("b", { afterMs: 100 });
  inbox.shutDown();
  inbox.requeueAfter(item, 0, 100);
  inbox.retry(item, 0, true);
  inbox.putBack(item, 0, 100);
  add("c");
  expect(await inbox.get()).toBe("shutdown");
  expect(clock.pendingTimers).toEqual([]);
});
