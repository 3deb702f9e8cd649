import { type Stored, z } from "keelson";
import { describe, expect, it } from "vitest";
import { SharedSecret } from "../api/shared-secret.ts";
import type { SharedSecretSpecInput } from "../api/spec.ts";
import type { SharedSecretStatus } from "../api/status.ts";
import { type RotationDue, rotationDue } from "./due.ts";
import { nextRotationMs } from "./schedule.ts";

const nowMs = Date.UTC(2026, 0, 2);
const hourMs = 3_600_000;
const approved = { approved: true, rotateSeconds: 3600 };
const rotator = { custom: { name: "acme.dev/redis" } };
const at = (ms: number): string => new Date(ms).toISOString();

interface Draft {
  readonly spec?: SharedSecretSpecInput;
  readonly status?: SharedSecretStatus;
  readonly podsRestartRequired?: boolean;
  readonly isDeleting?: boolean;
}

function sharedSecret(draft: Draft): Stored<SharedSecret> {
  const { spec = { rotate: "1h", rotator }, status = approved, podsRestartRequired = false } = draft;
  return {
    apiVersion: "vault.keelson.dev/v1alpha1",
    kind: "SharedSecret",
    metadata: {
      ...{ namespace: "shop", name: "orders-db", uid: "28a7", resourceVersion: "1" },
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(draft.isDeleting === true && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: z.parse(SharedSecret.schemas.spec, spec),
    status,
    podsRestartRequired,
    secret: "",
  };
}

const waiting = { due: false, reason: "WaitingForConsumers" };
const lastHour = nowMs - hourMs;
const halfAnHourAgo = nowMs - hourMs / 2;
const round = { startedAt: at(nowMs), version: "1", isFlagged: false };

const cases: readonly (readonly [string, Draft, number | undefined, object])[] = [
  ["a value that was never rotated", {}, undefined, { due: true }],
  ["a value that was rotated a period ago", {}, lastHour, { due: true }],
  [
    "a value that was rotated half a period ago",
    {},
    halfAnHourAgo,
    {
      ...{ due: false, reason: "NotDue" },
      retryAtMs: nextRotationMs({ lastMs: halfAnHourAgo, rotateSeconds: 3600, uid: "28a7" }),
    },
  ],
  ["a value that a wrong clock rotated in the future", {}, nowMs + 10 * hourMs, { due: true }],
  [
    "an object that is being deleted",
    { isDeleting: true },
    undefined,
    { due: false, reason: "BeingDeleted" },
  ],
  ["a spec without a rotator", { spec: {} }, undefined, { due: false, reason: "NoRotator" }],
  ["an object without a status", { status: {} }, undefined, { due: false, reason: "NotApproved" }],
  [
    "a secret that may not be shared any more",
    { status: { approved: false, rotateSeconds: 3600 } },
    lastHour,
    { due: false, reason: "NotApproved" },
  ],
  [
    "an approval without a period",
    { status: { approved: true, rotateSeconds: 0 } },
    lastHour,
    { due: false, reason: "NoPeriod" },
  ],
  [
    "an approved period that is not that of the spec",
    { status: { approved: true, rotateSeconds: 7200 } },
    lastHour,
    {
      ...{ due: false, reason: "NotDue" },
      retryAtMs: nextRotationMs({ lastMs: lastHour, rotateSeconds: 7200, uid: "28a7" }),
    },
  ],
  ["consumers to restart", { status: { ...approved, podsRestartRequired: true } }, lastHour, waiting],
  ["a restart that is under way", { status: { ...approved, restart: round } }, lastHour, waiting],
  ["a user who wants a restart", { podsRestartRequired: true }, lastHour, waiting],
  [
    "an attempt that failed just now",
    { status: { ...approved, rotation: { failures: 3, lastAttempt: at(nowMs - 1_000) } } },
    lastHour,
    { due: false, reason: "BackingOff", retryAtMs: nowMs + 3_000 },
  ],
  [
    "an attempt that failed a while ago",
    { status: { ...approved, rotation: { failures: 3, lastAttempt: at(nowMs - 4_000) } } },
    lastHour,
    { due: true },
  ],
  [
    "an attempt that a wrong clock noted in the future",
    { status: { ...approved, rotation: { failures: 1, lastAttempt: at(nowMs + hourMs) } } },
    lastHour,
    { due: false, reason: "BackingOff", retryAtMs: nowMs + 1_000 },
  ],
];

describe("whether a rotation is due", () => {
  for (const [what, draft, rotatedAtMs, expected] of cases)
    it(`is decided for ${what}`, () => {
      const decision: RotationDue = rotationDue(sharedSecret(draft), rotatedAtMs, nowMs);
      expect(decision).toEqual(expected);
    });
});
