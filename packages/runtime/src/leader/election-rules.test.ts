import { seededRandom } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { type ElectionSettings, electionIdentity, electionRules } from "./election-rules.ts";
import { InvalidElectionError } from "./errors.ts";

const lease = { namespace: "shop", name: "lock" };
const good: ElectionSettings = { lease, identity: "web-1" };

function problemsOf(settings: ElectionSettings): readonly string[] {
  try {
    electionRules(settings);
  } catch (error) {
    if (error instanceof InvalidElectionError) return error.problems;
    throw error;
  }
  return [];
}

describe("the rules of an election", () => {
  it("[LE1] [LE7] are 15 s, 10 s and 2 s by default, and 5 s for a request", () => {
    expect(electionRules(good)).toEqual({
      lease,
      identity: "web-1",
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      requestTimeoutMs: 5_000,
    });
  });

  it("[LE7] give a request no less than 1 s", () => {
    const { requestTimeoutMs } = electionRules({ ...good, renewDeadlineMs: 1_500, retryPeriodMs: 1_000 });
    expect(requestTimeoutMs).toBe(1_000);
  });

  it.each<[string, Partial<ElectionSettings>, string]>([
    [
      "a lease as long as the renew deadline",
      { renewDeadlineMs: 15_000 },
      "leaseDurationMs 15000 must be more than renewDeadlineMs 15000",
    ],
    [
      "a renew deadline of 1.2 retry periods",
      { renewDeadlineMs: 2_400 },
      "renewDeadlineMs 2400 must be more than 1.2 × retryPeriodMs 2000",
    ],
    ["a lease of no length", { leaseDurationMs: 0 }, "leaseDurationMs is 0, and must be more than 0"],
    ["a negative renew deadline", { renewDeadlineMs: -1 }, "renewDeadlineMs is -1, and must be more than 0"],
    ["no pause between tries", { retryPeriodMs: 0 }, "retryPeriodMs is 0, and must be more than 0"],
    [
      "a lease without an end",
      { leaseDurationMs: Number.POSITIVE_INFINITY },
      "leaseDurationMs is Infinity, and must be more than 0",
    ],
    [
      "a lease of broken seconds",
      { leaseDurationMs: 15_500 },
      "leaseDurationMs 15500 must be a whole number of seconds",
    ],
  ])("[LE1] refuse %s", (_, change, problem) => {
    expect(problemsOf({ ...good, ...change })).toEqual([problem]);
  });

  it("[LE1] accept a renew deadline just above 1.2 retry periods and just below the lease", () => {
    expect(problemsOf({ ...good, renewDeadlineMs: 2_401 })).toEqual([]);
    expect(problemsOf({ ...good, renewDeadlineMs: 14_999 })).toEqual([]);
  });

  it("[LE2] report all problems of lease and identity at once", () => {
    expect(problemsOf({ lease: { name: "" }, identity: "" })).toEqual([
      "lease.name is empty",
      "the Lease has no namespace: set lease.namespace, since this program does not run in a pod",
      "identity is empty",
    ]);
    expect(problemsOf({ ...good, lease: { ...lease, name: "Not A Name" } })).toHaveLength(1);
  });

  it("[LE2] take the pod's namespace if none is set", () => {
    const unset: ElectionSettings = { lease: { name: "lock" }, identity: "web-1", podNamespace: "pods" };
    expect(electionRules(unset).lease).toEqual({ namespace: "pods", name: "lock" });
    expect(electionRules({ ...unset, lease }).lease).toEqual(lease);
  });
});

describe("an identity", () => {
  it("[LE2] is the host's name and a random UUID", () => {
    const random = seededRandom(1);
    const identity = electionIdentity("web-1", random);
    expect(identity).toMatch(/^web-1_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(electionIdentity("web-1", random)).not.toBe(identity);
  });
});
