import { type RunningSandbox, runOperator, startSandbox, VirtualClock } from "@keelson/testkit";
import type { Transport } from "keelson/client";
import { Namespace } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webapp } from "../../src/operator.ts";

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  await sandbox.client.create(Namespace, { metadata: { name: "shop" } });
});
afterAll(() => sandbox?.stop());

it("tries again 1 s, 2 s, 4 s and so on after an error, and every 5 min in the end", async () => {
  const clock = new VirtualClock();
  const attempts: number[] = [];
  const failing = (transport: Transport): Transport => ({
    send(request) {
      const isWrite = request.method === "PATCH" && request.path.includes("webapps");
      if (!isWrite) return transport.send(request);
      attempts.push(clock.monotonicNow());
      return Promise.reject(new Error("no route to host"));
    },
    close: () => transport.close(),
  });
  const access = { transport: sandbox.sandbox.transport() };
  await using _ = await runOperator(webapp, {
    access,
    clock,
    wrap: failing,
    events: false,
  });
  await sandbox.client.create(WebApp, {
    metadata: { namespace: "shop", name: "web" },
    spec: { image: "web:1" },
  });
  await expect.poll(() => attempts.length).toBe(1);
  const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
  for (const [index, seconds] of waits.entries()) {
    await clock.advance(seconds * 1000);
    await expect.poll(() => attempts.length).toBe(index + 2);
  }
  const gaps = attempts.slice(1).map((at, index) => (at - (attempts[index] ?? 0)) / 1000);
  expect(gaps).toEqual(waits);
});
