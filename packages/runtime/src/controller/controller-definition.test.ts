import { Deployment } from "@keelson/core/kinds/apps/v1";
import { Pod } from "@keelson/core/kinds/core/v1";
import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { dequeueAll } from "../../test/support/dequeue-now.ts";
import { WorkQueue } from "../queue/work-queue.ts";
import { concurrencyOf, optionProblems, queueOptionsOf } from "./controller-definition.ts";

it("[CT8] takes the controller's word, then that for its kind, then that for all, then 1", () => {
  const defaults = { default: 2, byKind: { "Deployment.apps": 3, Pod: 4 } };
  expect(concurrencyOf({ concurrency: 5 }, Deployment, defaults)).toBe(5);
  expect(concurrencyOf({}, Deployment, defaults)).toBe(3);
  expect(concurrencyOf({}, Pod, defaults)).toBe(4);
  expect(concurrencyOf({}, undefined, defaults)).toBe(2);
  expect(concurrencyOf({}, Pod, {})).toBe(1);
});

it("names every setting that cannot work", () => {
  expect(optionProblems({ concurrency: 1, timeoutMs: 1, cacheSyncTimeoutMs: 1 })).toEqual([]);
  expect(
    optionProblems({ concurrency: 1.5, timeoutMs: 0, cacheSyncTimeoutMs: Number.POSITIVE_INFINITY }),
  ).toEqual([
    expect.stringContaining("concurrency"),
    expect.stringContaining("timeoutMs"),
    expect.stringContaining("cacheSyncTimeoutMs"),
  ]);
});

it("lets namespaces take turns in the work queue if the options demand it", async () => {
  const definition = {
    formatKey: (key: string) => key,
    namespaceOf: (key: string) => key.slice(0, key.indexOf("/")),
    options: { fairNamespaces: true },
  };
  const queue = new WorkQueue(queueOptionsOf(definition, new VirtualClock()));
  for (const key of ["busy/1", "busy/2", "busy/3", "calm/1"]) queue.add(key);
  expect(await dequeueAll(queue)).toEqual(["busy/1", "calm/1", "busy/2", "busy/3"]);
});
