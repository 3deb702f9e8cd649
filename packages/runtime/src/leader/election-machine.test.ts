import type { Lease, LeaseSpec } from "@keelson/core/kinds/coordination/v1";
import { describe, expect, it } from "vitest";
import {
  beginTry,
  continueTry,
  type ElectionMemory,
  type ElectionMoment,
  type ElectionRequest,
  type ElectionResponse,
  holderIn,
  nothingSeen,
  released,
  type TryOutcome,
} from "./election-machine.ts";
import { electionRules } from "./election-rules.ts";
import { formatMicroTime, recordOf } from "./lease-record.ts";

const rules = electionRules({ lease: { namespace: "shop", name: "lock" }, identity: "me" });
const wallMs = Date.UTC(2026, 2, 1);
const at = (nowMs: number): ElectionMoment => ({ nowMs, wallMs, rules });
const now = 1_000_000;
const written = formatMicroTime(wallMs);

const leaseWith = (spec?: LeaseSpec): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "shop", name: "lock", resourceVersion: "7", labels: { app: "web" } },
  ...(spec !== undefined && { spec }),
});
const heldBy = (holderIdentity: string, more: LeaseSpec = {}): Lease =>
  leaseWith({
    holderIdentity,
    leaseDurationSeconds: 15,
    acquireTime: "2020-01-01T00:00:00.000000Z",
    renewTime: "2020-01-01T00:00:00.000000Z",
    leaseTransitions: 4,
    ...more,
  });
const seen = (lease: Lease, agoMs: number): ElectionMemory => ({ lease, changedAtMs: now - agoMs });

const failed: ElectionResponse = { type: "failed" };
/** The server has this lease, and lets it be written. */
const stored = (lease: Lease) => ({ get: { type: "lease", lease } as const });

interface Server {
  readonly get?: ElectionResponse;
  readonly create?: ElectionResponse;
  /** The responses to updates, in order; the written Lease if there are no more. */
  readonly update?: readonly ElectionResponse[];
}

/** Plays a try to its end. */
function play(memory: ElectionMemory, server: Server, moment = at(now)) {
  const requests: ElectionRequest[] = [];
  const updates = [...(server.update ?? [])];
  let step = beginTry(memory, moment);
  for (;;) {
    const { next } = step;
    if (next.type === "held" || next.type === "heldByOther" || next.type === "failed")
      return { memory: step.memory, outcome: next satisfies TryOutcome, requests };
    requests.push(next);
    const asWritten: ElectionResponse =
      next.type === "get" ? { type: "notFound" } : { type: "lease", lease: next.lease };
    const planned = next.type === "update" ? updates.shift() : server[next.type];
    step = continueTry(step.memory, { request: next, response: planned ?? asWritten }, moment);
  }
}

const namesOf = (requests: readonly ElectionRequest[]): readonly string[] =>
  requests.map((request) => (request.type === "update" && request.isFast ? "fast update" : request.type));

describe("a try to acquire or renew", () => {
  it.each<[string, ElectionMemory, Server, readonly string[], TryOutcome, string, number]>([
    ["creates a lease that is not there", nothingSeen, {}, ["get", "create"], { type: "held" }, "me", 0],
    [
      "takes a lease without a record",
      nothingSeen,
      stored(leaseWith()),
      ["get", "update"],
      { type: "held" },
      "me",
      1,
    ],
    [
      "acquires a lease without a holder, however new",
      nothingSeen,
      stored(heldBy("")),
      ["get", "update"],
      { type: "held" },
      "me",
      5,
    ],
    [
      "takes a lease that has not changed for its duration",
      seen(heldBy("other"), 15_000),
      stored(heldBy("other")),
      ["get", "update"],
      { type: "held" },
      "me",
      5,
    ],
    [
      "acquires a lease without a duration, since it expires at once",
      nothingSeen,
      stored(leaseWith({ holderIdentity: "other" })),
      ["get", "update"],
      { type: "held" },
      "me",
      1,
    ],
    [
      "leaves a lease that has not run out",
      seen(heldBy("other"), 14_999),
      stored(heldBy("other")),
      ["get"],
      { type: "heldByOther", holder: "other" },
      "other",
      4,
    ],
    [
      "leaves a lease it sees for the first time, however old its times are",
      nothingSeen,
      stored(heldBy("other")),
      ["get"],
      { type: "heldByOther", holder: "other" },
      "other",
      4,
    ],
    [
      "goes by the duration in the record, not by its own",
      seen(heldBy("other", { leaseDurationSeconds: 60 }), 20_000),
      stored(heldBy("other", { leaseDurationSeconds: 60 })),
      ["get"],
      { type: "heldByOther", holder: "other" },
      "other",
      4,
    ],
    [
      "renews its own lease without reading it first",
      seen(heldBy("me"), 2_000),
      {},
      ["fast update"],
      { type: "held" },
      "me",
      4,
    ],
    [
      "reads first if its own lease has expired",
      seen(heldBy("me"), 15_000),
      stored(heldBy("me")),
      ["get", "update"],
      { type: "held" },
      "me",
      4,
    ],
    [
      "recognises its own lease from an earlier life",
      nothingSeen,
      stored(heldBy("me")),
      ["get", "update"],
      { type: "held" },
      "me",
      4,
    ],
    [
      "reads if the fast update fails, and renews",
      seen(heldBy("me"), 2_000),
      { ...stored(heldBy("me")), update: [failed] },
      ["fast update", "get", "update"],
      { type: "held" },
      "me",
      4,
    ],
    [
      "finds after a failed fast update that another leads",
      seen(heldBy("me"), 2_000),
      { ...stored(heldBy("other")), update: [failed] },
      ["fast update", "get"],
      { type: "heldByOther", holder: "other" },
      "other",
      4,
    ],
    [
      "creates its lease anew if it was deleted",
      seen(heldBy("me"), 2_000),
      { update: [{ type: "notFound" }] },
      ["fast update", "get", "create"],
      { type: "held" },
      "me",
      0,
    ],
    ["fails if the lease cannot be read", nothingSeen, { get: failed }, ["get"], { type: "failed" }, "", 0],
    [
      "fails if another creates it first",
      nothingSeen,
      { create: failed },
      ["get", "create"],
      { type: "failed" },
      "",
      0,
    ],
    [
      "fails if another takes it first",
      nothingSeen,
      { ...stored(heldBy("")), update: [failed] },
      ["get", "update"],
      { type: "failed" },
      "",
      4,
    ],
  ])("[LE4] %s", (_, memory, server, requests, outcome, holder, transitions) => {
    const played = play(memory, server);
    expect(namesOf(played.requests)).toEqual(requests);
    expect(played.outcome).toEqual(outcome);
    expect(holderIn(played.memory)).toBe(holder);
    const { lease } = played.memory;
    expect(lease === undefined ? 0 : recordOf(lease).transitions).toBe(transitions);
  });

  it("[LE3] restarts its timer with each change of the record, and only then", () => {
    const first = play(nothingSeen, stored(heldBy("other")), at(0));
    expect(first.memory.changedAtMs).toBe(0);
    const same = play(first.memory, stored(heldBy("other")), at(14_000));
    expect(same.memory.changedAtMs).toBe(0);
    const renewal = stored(heldBy("other", { renewTime: "2020-01-01T00:00:00.000001Z" }));
    const renewed = play(same.memory, renewal, at(14_500));
    expect(renewed.memory.changedAtMs).toBe(14_500);
    expect(play(renewed.memory, renewal, at(29_499)).outcome.type).toBe("heldByOther");
    expect(play(renewed.memory, renewal, at(29_500)).outcome.type).toBe("held");
  });

  it("[LE4] keeps the time of acquisition on a renewal, and all fields outside of the record", () => {
    const own = heldBy("me", { strategy: "OldestEmulationVersion", preferredHolder: "you" });
    const [request] = play(seen(own, 2_000), {}).requests;
    expect(request).toEqual({
      type: "update",
      isFast: true,
      lease: { ...own, spec: { ...own.spec, renewTime: written } },
    });
  });

  it("[LE4] sets both times when it takes a lease over, at the version that it has seen", () => {
    const [, request] = play(nothingSeen, stored(heldBy(""))).requests;
    expect(request).toEqual({
      type: "update",
      isFast: false,
      lease: heldBy("me", { acquireTime: written, renewTime: written, leaseTransitions: 5 }),
    });
  });

  it("[LE4] creates a lease without a transition", () => {
    const [, request] = play(nothingSeen, {}).requests;
    expect(request).toEqual({
      type: "create",
      lease: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { namespace: "shop", name: "lock" },
        spec: {
          holderIdentity: "me",
          leaseDurationSeconds: 15,
          acquireTime: written,
          renewTime: written,
          leaseTransitions: 0,
        },
      },
    });
  });
});

describe("a released lease", () => {
  it("[LE8] has no holder, a duration of one second, and all its transitions", () => {
    expect(released(heldBy("me"), wallMs)).toEqual(
      heldBy("", { leaseDurationSeconds: 1, acquireTime: written, renewTime: written }),
    );
  });
});
