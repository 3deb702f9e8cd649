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
import { BackUp } from "../../src/api/back-up.ts";
import { backupOperator } from "../../src/operator.ts";

let sandbox: RunningSandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  await sandbox.client.create(Namespace, { metadata: { name: "vault" } });
});
afterAll(() => sandbox?.stop());

it("reports what kept a Job from being made, also if the status cannot be written either", async () => {
  const clock = new VirtualClock();
  const log = new RecordingLogger();
  const wrap = failingWrites("jobs");
  const access = { transport: sandbox.sandbox.transport() };
  await using _ = await runOperator(backupOperator({ clock }), { access, clock, wrap, log, events: false });
  await sandbox.client.create(BackUp, {
    metadata: { namespace: "vault", name: "once" },
    spec: { image: "backup:1" },
  });
  await expect.poll(() => log.messages("error")).toContain("reconcile failed");
  const failures = log.lines.filter(({ level }) => level === "warn" || level === "error");
  expect(failures.map(({ message, fields }) => `${message}: ${fields.error}`).slice(0, 2)).toEqual([
    expect.stringMatching(/^the status could not be written either: .*\/status/),
    expect.stringMatching(/^reconcile failed: .*jobs/),
  ]);
});
