import { describe, expect, it } from "vitest";
import { existing, observation, reloaderConfig, reloadRecord } from "../../test/support/objects.ts";
import type { ReloadRecordStatus } from "../api/reload-record.ts";
import type { ReloaderConfigStatus } from "../api/status.ts";
import type { WatchedResource } from "../resource/watched-resource.ts";
import type { Observation } from "./observation.ts";
import { statusOf } from "./status.ts";

const spec = {
  watchedResources: { secrets: ["db"] },
  targets: [{ kind: "Deployment", name: "web" }],
} as const;
const time = (minute: number) => `2026-01-01T00:0${minute}:00Z`;

function reloads(reloadCount: number, lastReloadTime = time(1)): ReloadRecordStatus {
  return { configs: [{ namespace: "shop", name: "mine", reloadCount, lastReloadTime }] };
}

/** The statuses after several reconciles, each of which sees the status of the one before. */
function walk(...steps: readonly Partial<Observation>[]): readonly ReloaderConfigStatus[] {
  const statuses: ReloaderConfigStatus[] = [];
  for (const [index, step] of steps.entries()) {
    const config = reloaderConfig(spec, statuses.at(-1));
    const nowMs = Date.parse("2026-01-01T01:00:00Z") + index * 60_000;
    statuses.push(statusOf(observation({ config, nowMs, ...step })));
  }
  return statuses;
}

const withRecord = (status: ReloadRecordStatus, uid?: string) => ({
  targets: [existing({ records: [reloadRecord(status, uid)] })],
});

function secret(name: string, namespace = "shop"): WatchedResource {
  const metadata = { labels: {}, annotations: {}, creationTimestamp: time(0) };
  return { kind: "Secret", namespace, name, hash: `hash of ${name}`, upstreamHash: "", ...metadata };
}

describe("the status of a ReloaderConfig", () => {
  it("has the hashes of what is watched, the number of targets and the strategy", () => {
    const [status] = walk({ resources: [secret("db"), secret("api")] });
    expect(status).toMatchObject({
      observedGeneration: 3,
      strategy: "env-vars",
      targets: 1,
      reloadCount: 0,
      watchedResourceHashes: { "shop/Secret/api": "hash of api", "shop/Secret/db": "hash of db" },
      targetStatus: [{ kind: "Deployment", namespace: "shop", name: "web", reloadCount: 0 }],
    });
    expect(status).not.toHaveProperty("lastReloadTime");
  });

  it("has at most a thousand hashes", () => {
    const [status] = walk({ resources: Array.from({ length: 1200 }, (_, index) => secret(`s${index}`)) });
    expect(Object.keys(status?.watchedResourceHashes ?? {})).toHaveLength(1000);
  });

  it.each([
    [{}, "env-vars"],
    [{ reloadStrategy: "annotations" }, "annotations"],
    [{ reloadStrategy: "annotations", rolloutStrategy: "restart" }, "restart"],
  ] as const)("shows the strategy of %j", (fields, strategy) => {
    const [status] = walk({ config: reloaderConfig({ ...spec, ...fields }) });
    expect(status?.strategy).toBe(strategy);
  });

  it("shows the strategy of the settings if the spec has none", () => {
    const settings = { reloadStrategy: "annotations", rolloutStrategy: "rollout" } as const;
    expect(walk({ settings })[0]?.strategy).toBe("annotations");
  });

  it("is the same when nothing has changed, with the same times", () => {
    const seen = {
      ...withRecord(reloads(2)),
      missing: [{ kind: "Secret", namespace: "shop", name: "x" } as const],
    };
    const [first, second] = walk(seen, seen);
    expect(second).toEqual(first);
  });

  it("counts the reloads that were for this ReloaderConfig", () => {
    const others = [{ namespace: "other", name: "mine", reloadCount: 7 }];
    const { configs = [] } = reloads(2);
    const [status] = walk(withRecord({ reloadCount: 9, configs: [...others, ...configs] }));
    expect(status).toMatchObject({ reloadCount: 2, lastReloadTime: time(1) });
    expect(status?.targetStatus).toMatchObject([{ reloadCount: 2, lastReloadTime: time(1) }]);
  });

  it("counts every reload once", () => {
    const counts = walk(withRecord(reloads(1)), withRecord(reloads(1)), withRecord(reloads(3, time(3))));
    expect(counts.map(({ reloadCount }) => reloadCount)).toEqual([1, 1, 3]);
    expect(counts.at(-1)?.lastReloadTime).toBe(time(3));
  });

  it("keeps the counts when a record is deleted, and adds those of the next one", () => {
    const counts = walk(
      withRecord(reloads(2, time(2))),
      { targets: [existing({ presence: "missing" })] },
      withRecord({}, "another"),
      withRecord(reloads(1, time(4)), "another"),
      withRecord(reloads(3, time(5)), "another"),
    );
    expect(counts.map(({ reloadCount }) => reloadCount)).toEqual([2, 2, 2, 3, 5]);
    expect(counts.map(({ targetStatus }) => targetStatus?.[0]?.reloadCount)).toEqual([2, 2, 2, 3, 5]);
    expect(counts.map(({ lastReloadTime }) => lastReloadTime)).toEqual([2, 2, 2, 4, 5].map(time));
  });

  it("counts a record once that was not seen for a while", () => {
    const missing = { targets: [existing({ presence: "missing" })] };
    const counts = walk(
      withRecord(reloads(1)),
      missing,
      withRecord(reloads(1)),
      missing,
      withRecord({}, "another"),
    );
    expect(counts.map(({ reloadCount }) => reloadCount)).toEqual([1, 1, 1, 1, 1]);
  });

  it("keeps the count of all targets when one is removed from the spec", () => {
    const [, after] = walk(withRecord(reloads(2)), { targets: [] });
    expect(after).toMatchObject({ reloadCount: 2, targets: 0, targetStatus: [] });
  });

  it("shows until when a target is paused, why changes wait, and the last error", () => {
    const [status, later] = walk(
      withRecord({
        pausedUntil: time(9),
        pending: { since: time(0), resources: [], reason: "ReloadFailed" },
        lastError: "conflict",
      }),
      withRecord({}),
    );
    expect(status?.targetStatus).toMatchObject([
      { pausedUntil: time(9), pending: "ReloadFailed", lastError: "conflict" },
    ]);
    expect(later?.targetStatus).toEqual([
      { kind: "Deployment", namespace: "shop", name: "web", reloadCount: 0 },
    ]);
  });

  it("counts the reloads of both records of a Rollout and its Deployment", () => {
    const both = (one: number, other: number) => ({
      targets: [existing({ records: [reloadRecord(reloads(one), "a"), reloadRecord(reloads(other), "b")] })],
    });
    const counts = walk(both(1, 0), both(1, 2), both(2, 2));
    expect(counts.map(({ reloadCount }) => reloadCount)).toEqual([1, 3, 4]);
  });

  it("clears Degraded when the target was created, with the time of that", () => {
    const [before, after] = walk({ targets: [existing({ presence: "missing" })] }, {});
    const timesOf = (status?: ReloaderConfigStatus) =>
      status?.conditions?.map(({ type, status: is, lastTransitionTime }) => [type, is, lastTransitionTime]);
    expect(timesOf(before)).toContainEqual(["Degraded", "True", "2026-01-01T01:00:00Z"]);
    expect(timesOf(after)).toEqual([
      ["Available", "True", "2026-01-01T01:01:00Z"],
      ["Progressing", "False", "2026-01-01T01:00:00Z"],
      ["Degraded", "False", "2026-01-01T01:01:00Z"],
    ]);
  });
});
