import {
  failingWrites,
  RecordingLogger,
  type RunningSandbox,
  runOperator,
  startSandbox,
  VirtualClock,
} from "@keelson/testkit";
import { Namespace } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebApp } from "../../src/api/web-app.ts";
import { webappOperator } from "../../src/operator.ts";

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  await sandbox.client.create(Namespace, { metadata: { name: "shop" } });
});
afterAll(() => sandbox?.stop());

it("reports what kept a child from being applied, also if the status cannot be written either", async () => {
  const clock = new VirtualClock();
  const log = new RecordingLogger();
  const wrap = failingWrites("deployments");
  const access = { transport: sandbox.sandbox.transport() };
  await using _ = await runOperator(webappOperator({ clock }), { access, clock, wrap, log, events: false });
  await sandbox.client.create(WebApp, {
    metadata: { namespace: "shop", name: "web" },
    spec: { image: "web:1" },
  });
  await expect.poll(() => log.messages("error")).toContain("reconcile failed");
  const failures = log.lines.filter(({ level }) => level === "warn" || level === "error");
  expect(failures.map(({ message, fields }) => `${message}: ${fields.error}`).slice(0, 2)).toEqual([
    expect.stringMatching(/^the status could not be written either: .*\/status/),
    expect.stringMatching(/^reconcile failed: .*deployments/),
  ]);
});
