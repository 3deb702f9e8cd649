import type { KubeObject } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { expect, it } from "vitest";
import { FakeInformer } from "../../../test/support/fake-informer.ts";
import { stored } from "../../../test/support/stored.ts";
import { CombinedInformer } from "./combined-informer.ts";
import type { InformerEvent, InformerHandler } from "./informer.ts";

/** Three informers as one, with a subscriber. `emit` delivers a ConfigMap through the informer of that index. */
function setUp(handler: InformerHandler<KubeObject>) {
  const parts = [0, 1, 2].map(() => new FakeInformer<KubeObject>(ConfigMap));
  const subscription = new CombinedInformer<KubeObject>(ConfigMap, parts).subscribe(handler);
  const emit = async (index: number, name: string): Promise<void> =>
    parts[index]?.create(stored({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }));
  return { emit, subscription };
}

/** A handler whose calls last until the test ends them. */
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
  const { emit } = setUp(handler);
  const emitted = [emit(0, "a"), emit(1, "b"), emit(2, "c")];
  await expect.poll(() => calls).toEqual(["a"]);
  ends[0]?.resolve();
  await emitted[0];
  await expect.poll(() => calls).toEqual(["a", "b"]);
  ends[1]?.resolve();
  await expect.poll(() => calls).toEqual(["a", "b", "c"]);
  ends[2]?.resolve();
  await Promise.all(emitted);
});

it("calls a handler that does not wait at once", async () => {
  const calls: string[] = [];
  const { emit } = setUp(({ key }) => void calls.push(key.name));
  const emitted = [emit(0, "a"), emit(1, "b")];
  await Promise.resolve();
  expect(calls).toEqual(["a", "b"]);
  await Promise.all(emitted);
});

it("goes on after a handler has failed, and passes the error on", async () => {
  const { calls, ends, handler } = slowHandler();
  const { emit } = setUp(handler);
  const emitted = [emit(0, "a"), emit(1, "b")];
  await expect.poll(() => calls).toEqual(["a"]);
  ends[0]?.reject(new Error("broken"));
  await expect(emitted[0]).rejects.toThrow("broken");
  await expect.poll(() => calls).toEqual(["a", "b"]);
  ends[1]?.resolve();
  await emitted[1];
});

it("[IN11] drops the events that wait when the subscription is removed", async () => {
  const { calls, ends, handler } = slowHandler();
  const { emit, subscription } = setUp(handler);
  const first = emit(0, "a");
  const second = emit(1, "b");
  await expect.poll(() => calls).toEqual(["a"]);
  const removed = subscription.remove();
  await second;
  await emit(2, "c");
  ends[0]?.resolve();
  await first;
  await removed;
  expect(calls).toEqual(["a"]);
});
