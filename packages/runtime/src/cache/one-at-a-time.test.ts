import type { KubeObject } from "@keelson/core";
import { expect, it } from "vitest";
import { stored } from "../../test/support/stored.ts";
import type { InformerEvent } from "./informer.ts";
import { oneAtATime } from "./one-at-a-time.ts";

const event = (name: string): InformerEvent<KubeObject> => ({
  type: "create",
  key: { name },
  object: stored({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }),
  isInInitialList: false,
});

/** A handler that is at work until it is told to go on. */
function slowHandler() {
  const calls: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const handler = ({ key }: InformerEvent<KubeObject>): Promise<void> => {
    calls.push(key.name);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  };
  return { calls, ends, handler };
}

it("[IN3] calls a handler again only when it is done", async () => {
  const { calls, ends, handler } = slowHandler();
  const inTurn = oneAtATime(handler, new AbortController().signal);
  const turns = [inTurn(event("a")), inTurn(event("b")), inTurn(event("c"))];
  expect(calls).toEqual(["a"]);
  ends[0]?.resolve();
  await turns[0];
  await expect.poll(() => calls).toEqual(["a", "b"]);
  ends[1]?.resolve();
  await expect.poll(() => calls).toEqual(["a", "b", "c"]);
  ends[2]?.resolve();
  await Promise.all(turns);
});

it("calls a handler that does not wait at once", () => {
  const calls: string[] = [];
  const inTurn = oneAtATime(({ key }) => void calls.push(key.name), new AbortController().signal);
  expect(inTurn(event("a"))).toBeUndefined();
  expect(inTurn(event("b"))).toBeUndefined();
  expect(calls).toEqual(["a", "b"]);
});

it("goes on after a handler has failed, and lets whoever called it know", async () => {
  const { calls, ends, handler } = slowHandler();
  const inTurn = oneAtATime(handler, new AbortController().signal);
  const turns = [inTurn(event("a")), inTurn(event("b"))];
  ends[0]?.reject(new Error("broken"));
  await expect(turns[0]).rejects.toThrow("broken");
  await expect.poll(() => calls).toEqual(["a", "b"]);
  ends[1]?.resolve();
  await turns[1];
});

it("[IN11] drops what waits for its turn when the signal aborts", async () => {
  const { calls, ends, handler } = slowHandler();
  const controller = new AbortController();
  const inTurn = oneAtATime(handler, controller.signal);
  const first = inTurn(event("a"));
  const second = inTurn(event("b"));
  controller.abort();
  await second;
  expect(inTurn(event("c"))).toBeUndefined();
  ends[0]?.resolve();
  await first;
  expect(calls).toEqual(["a"]);
});
