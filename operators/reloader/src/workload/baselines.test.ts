import { describe, expect, it } from "vitest";
import type { Match } from "../decision/match.ts";
import { absent } from "../reload/reload-request.ts";
import type { WatchedResource } from "../resource/watched-resource.ts";
import { type BaselineQuestion, compareBaselines, withChanges } from "./baselines.ts";

const ref = "shop/Secret/db";
const adoptedAtMs = Date.parse("2026-01-01T00:00:00.500Z");

const match: Match = {
  resource: { kind: "Secret", namespace: "shop", name: "db" },
  isExplicit: true,
  origin: { type: "annotations" },
};

function secret(hash: string, creationTimestamp = "2025-01-01T00:00:00Z"): WatchedResource {
  const texts = { labels: {}, annotations: {} };
  return { ...match.resource, ...texts, hash, upstreamHash: `upstream-${hash}`, creationTimestamp };
}

interface Row {
  readonly recorded?: string;
  readonly now?: WatchedResource;
  readonly upstream?: string;
  readonly isUpstreams?: boolean;
  readonly isAdopted?: boolean;
  readonly atFirstSight?: string;
  readonly onCreate?: boolean;
  readonly onDelete?: boolean;
}

function compare(row: Row) {
  const { recorded, now, upstream, isUpstreams = false } = row;
  const { isAdopted = true, atFirstSight, onCreate = false, onDelete = false } = row;
  const question: BaselineQuestion = {
    matches: [match],
    resources: new Map(now === undefined ? [] : [[ref, now]]),
    recorded: recorded === undefined ? {} : { [ref]: recorded },
    adoptedAtMs: isAdopted ? adoptedAtMs : undefined,
    upstreamHashes: new Map(upstream === undefined ? [] : [[ref, upstream]]),
    isUpstreams,
    hashAtFirstSight: () => atFirstSight,
    reloadsOnCreate: () => onCreate,
    reloadsOnDelete: () => onDelete,
  };
  const { kept, changes } = compareBaselines(question);
  return { baseline: kept[ref], change: changes.map(({ from, to }) => `${from} -> ${to}`).join() };
}

describe("a baseline", () => {
  const cases: readonly (readonly [string, Row, string | undefined, string])[] = [
    ["of the same content stays", { recorded: "a", now: secret("a") }, "a", ""],
    ["of other content is a change", { recorded: "a", now: secret("b") }, "a", "a -> b"],
    ["is the content at the first sight", { now: secret("a"), isAdopted: false }, "a", ""],
    [
      "is the content at the first sight, if it changed before the adoption",
      { now: secret("b"), isAdopted: false, atFirstSight: "a" },
      "a",
      "a -> b",
    ],
    ["is the content of an old resource that begins to count", { now: secret("a") }, "a", ""],
    ["is kept for a deleted resource", { recorded: "a" }, "a", ""],
    [
      "of a deleted resource is a change with reloadOnDelete",
      { recorded: "a", onDelete: true },
      "a",
      "a -> absent",
    ],
    ["is absent for a missing resource", {}, absent, ""],
    ["of a missing resource becomes what is created", { recorded: absent, now: secret("a") }, "a", ""],
    [
      "of a missing resource is a change with reloadOnCreate",
      { recorded: absent, now: secret("a"), onCreate: true },
      absent,
      "absent -> a",
    ],
    [
      "of a resource that is younger than the record is absent, with reloadOnCreate",
      { now: secret("a", "2026-01-01T00:00:00Z"), onCreate: true },
      absent,
      "absent -> a",
    ],
    [
      "of a resource that is older than the record is its content, with reloadOnCreate",
      { now: secret("a", "2025-12-31T23:59:59Z"), onCreate: true },
      "a",
      "",
    ],
    [
      "is the content if upstream has recorded it",
      { now: secret("a"), upstream: "upstream-a", isAdopted: false },
      "a",
      "",
    ],
    [
      "is upstream's if the content has changed since",
      { now: secret("a"), upstream: "upstream-z", isAdopted: false },
      "upstream-z",
      "upstream-z -> a",
    ],
    [
      "is the content if upstream has rolled that out since it was recorded",
      { recorded: "a", now: secret("b"), upstream: "upstream-b", isUpstreams: true },
      "b",
      "",
    ],
    [
      "is not what upstream shows if a restart of ours did not change that",
      { recorded: "a", now: secret("b"), upstream: "upstream-b" },
      "a",
      "a -> b",
    ],
    [
      "of ours counts more than upstream's",
      { recorded: "a", now: secret("a"), upstream: "upstream-z" },
      "a",
      "",
    ],
  ];
  it.each(cases)("%s", (_, row, baseline, change) => {
    expect(compare(row)).toEqual({ baseline, change });
  });

  it("of a resource that does not count any more is dropped", () => {
    const { kept } = compareBaselines({
      ...{ matches: [], resources: new Map(), recorded: { [ref]: "a" }, adoptedAtMs },
      upstreamHashes: new Map(),
      isUpstreams: false,
      reloadsOnCreate: () => true,
      reloadsOnDelete: () => true,
    });
    expect(kept).toEqual({});
  });

  it("is the new content after a reload", () => {
    const change = {
      resource: match.resource,
      from: "a",
      to: "b",
      upstreamHash: undefined,
      isExplicit: true,
    };
    expect(withChanges({ [ref]: "a", "shop/Secret/other": "x" }, [change])).toEqual({
      [ref]: "b",
      "shop/Secret/other": "x",
    });
  });
});
