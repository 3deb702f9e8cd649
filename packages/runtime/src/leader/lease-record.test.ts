import type { Lease, LeaseSpec } from "@keelson/core/kinds/coordination/v1";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatMicroTime, isSameRecord, recordOf, specOf } from "./lease-record.ts";

const leaseWith = (spec?: LeaseSpec): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "shop", name: "lock" },
  ...(spec !== undefined && { spec }),
});

/** As a client-go elector writes it. */
const goSpec: LeaseSpec = {
  acquireTime: "2026-03-01T10:20:30.123456Z",
  holderIdentity: "web-6c9_1f0e6f0c-3f51-4f0e-8b6a-0a4f6a3d2b10",
  leaseDurationSeconds: 15,
  leaseTransitions: 3,
  renewTime: "2026-03-01T10:25:30.654321Z",
};

describe("a lease record", () => {
  it("[LE13] of a Go program is read and written back without a loss, microseconds included", () => {
    const record = recordOf(leaseWith(goSpec));
    expect(record).toEqual({
      holder: "web-6c9_1f0e6f0c-3f51-4f0e-8b6a-0a4f6a3d2b10",
      durationSeconds: 15,
      transitions: 3,
      acquireTime: "2026-03-01T10:20:30.123456Z",
      renewTime: "2026-03-01T10:25:30.654321Z",
    });
    expect(specOf(record)).toEqual(goSpec);
  });

  it("[LE13] keeps what only coordinated elections use", () => {
    const spec = { ...goSpec, preferredHolder: "web-2", strategy: "OldestEmulationVersion" };
    expect(specOf(recordOf(leaseWith(spec)))).toEqual(spec);
  });

  it.each([
    ["without a spec", leaseWith()],
    ["with an empty spec", leaseWith({})],
  ])("[LE13] of an object %s has no holder", (_, lease) => {
    expect(recordOf(lease)).toEqual({ holder: "", durationSeconds: 0, transitions: 0 });
  });

  it("[LE13] is the same after the way to a spec and back, for any record", () => {
    const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") });
    const record = fc.record(
      {
        holder: fc.string(),
        durationSeconds: fc.nat(),
        transitions: fc.nat(),
        acquireTime: time.map((date) => formatMicroTime(date.getTime())),
        renewTime: time.map((date) => formatMicroTime(date.getTime())),
        preferredHolder: fc.string(),
        strategy: fc.string(),
      },
      { requiredKeys: ["holder", "durationSeconds", "transitions"] },
    );
    fc.assert(
      fc.property(record, (given) => {
        expect(recordOf(leaseWith(specOf(given)))).toEqual(given);
      }),
    );
  });

  it.each(["holder", "renewTime", "transitions", "durationSeconds", "acquireTime"] as const)(
    "is another one when its %s differs",
    (field) => {
      const record = recordOf(leaseWith(goSpec));
      expect(isSameRecord(record, { ...record })).toBe(true);
      expect(isSameRecord(record, { ...record, [field]: "other" })).toBe(false);
    },
  );
});

describe("a MicroTime", () => {
  it.each([
    [0, "1970-01-01T00:00:00.000000Z"],
    [1_772_360_430_123, "2026-03-01T10:20:30.123000Z"],
    [1_772_360_430_123.5, "2026-03-01T10:20:30.123500Z"],
  ])("[LE13] of %d ms has six digits after the point", (ms, text) => {
    expect(formatMicroTime(ms)).toBe(text);
  });
});
