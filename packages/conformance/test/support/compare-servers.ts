import { systemClock } from "@keelson/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CaseGroup } from "../../src/conformance-case.ts";
import { startEmbeddedWorld } from "../../src/embedded-world.ts";
import { knownDifferences } from "../../src/known-differences.ts";
import { playCase } from "../../src/play-case.ts";
import { startRealWorld } from "../../src/real-world.ts";
import type { World } from "../../src/world.ts";

const known = new Set(knownDifferences.map((difference) => difference.case));

/** Ten cases at a time, most with many calls of kubectl, and two servers, on a machine that may be busy. */
const patient = { timeout: 120_000 };

/** A test for each case: it is played on both servers at once, and both must have shown the same. */
export function compareServers(groups: readonly CaseGroup[]): void {
  const worlds = new AsyncDisposableStack();
  let embedded: World;
  let real: World;
  beforeAll(async () => {
    const [one, other] = await Promise.all([startEmbeddedWorld(), startRealWorld()]);
    embedded = worlds.use(one);
    real = worlds.use(other);
  });
  afterAll(() => worlds.disposeAsync());

  // Each has a namespace of its own; its name is the same on both servers.
  const played = groups
    .flatMap(({ title, cases }) => cases.map((given) => ({ given, name: `${title}: ${given.name}` })))
    .map((each, index) => ({ ...each, namespace: `case-${String(index).padStart(4, "0")}` }));

  test("every case has a name of its own", () => {
    const names = played.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  describe.concurrent("both servers respond alike", patient, () => {
    for (const { given, name, namespace } of played) {
      test(name, async ({ expect: expectHere }) => {
        const [here, there] = await Promise.all([
          playCase(given, embedded, namespace, systemClock),
          playCase(given, real, namespace, systemClock),
        ]);
        // One that no longer differs must leave the list.
        if (known.has(name)) expectHere(here).not.toEqual(there);
        else expectHere(here).toEqual(there);
      });
    }
  });
}
