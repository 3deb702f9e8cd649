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

it.each([
  ["of its status", "status", /webapps/],
  ["of an owned object, although its status is written then", "owned", /deployments/],
])(
  "tries again 1 s, 2 s, 4 s and so on after a failed write %s, and every 5 min in the end",
  async (_, name, path) => {
    const clock = new VirtualClock();
    const attempts: number[] = [];
    const failing = (transport: Transport): Transport => ({
      send(request) {
        const isWrite = request.method === "PATCH" && path.test(request.path) && request.path.includes(name);
        if (!isWrite) return transport.send(request);
        attempts.push(clock.monotonicNow());
        return Promise.reject(new Error("no route to host"));
      },
      close: () => transport.close(),
    });
    const access = { transport: sandbox.sandbox.transport() };
    await using operator = await runOperator(webapp, {
      access,
      clock,
      wrap: failing,
      events: false,
    });
    await sandbox.client.create(WebApp, {
      metadata: { namespace: "shop", name },
      spec: { image: "web:1" },
    });
    // The first reconcile requests another one after 1 ms.
    await expect.poll(() => clock.advance(1).then(() => attempts.length)).toBe(1);
    await operator.idle();
    const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
    for (const [index, seconds] of waits.entries()) {
      await clock.advance(seconds * 1000);
      await expect.poll(() => attempts.length).toBe(index + 2);
      await operator.idle();
    }
    const gaps = attempts.slice(1).map((at, index) => (at - (attempts[index] ?? 0)) / 1000);
    expect(gaps).toEqual(waits);
  },
);
