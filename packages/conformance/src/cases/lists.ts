import { type CaseGroup, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { secret } from "./manifests.ts";

/** Waits until a list at `resourceVersion=0` has `count` objects; a server may read it from a cache that lags. */
export async function untilCached(stage: Stage, path: string, count: number): Promise<void> {
  await stage.until(`${path}${path.includes("?") ? "&" : "?"}resourceVersion=0`, (list) => {
    const items = field(list, "items");
    return Array.isArray(items) && items.length === count;
  });
}

/** No controller creates Secrets, so a namespace has only those of the case. */
async function prepareSecrets(stage: Stage, ...names: readonly string[]): Promise<void> {
  for (const name of names) await stage.prepare(stage.path("secrets"), secret(name));
}

const continueOf = (list: unknown): string => encodeURIComponent(String(field(list, "metadata.continue")));
const versionOf = (object: unknown): string => String(field(object, "metadata.resourceVersion"));

/** [sentence, query…]: each query is sent to a list of three. */
const queries: readonly (readonly [sentence: string, ...queries: string[]])[] = [
  ["a limit of zero is none", "limit=0"],
  ["a limit that is negative is none", "limit=-1"],
  ["a limit that is no number is refused", "limit=many"],
  ["a limit beyond all numbers is refused", "limit=99999999999999999999"],
  ["a limit that is larger than the list is the whole list", "limit=500"],
  ["the version 0 is any version", "resourceVersion=0"],
  ["the version 0 with a limit", "resourceVersion=0&limit=2"],
  ["not older than 0", "resourceVersion=0&resourceVersionMatch=NotOlderThan"],
  ["exactly 0 is refused", "resourceVersion=0&resourceVersionMatch=Exact"],
  ["a match needs a version", "resourceVersionMatch=Exact", "resourceVersionMatch=NotOlderThan"],
  ["a match is one of two", "resourceVersion=1&resourceVersionMatch=Roughly"],
  ["a version is a number", "resourceVersion=abc", "resourceVersion=-5"],
  ["a token that is none is refused", "continue=abc", "limit=2&continue=%00%01"],
  [
    "a token with a version is refused",
    "limit=1&resourceVersion=5&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhIn0",
  ],
  ["a token with the version 0 is not refused for it", "resourceVersion=0&continue=abc"],
  ["initial events are for watches", "sendInitialEvents=true"],
  ["a timeout that is no number is refused", "timeoutSeconds=soon"],
  ["unknown parameters are overlooked", "colour=blue&pretty=false"],
];

export const listCases: CaseGroup = {
  title: "lists",
  cases: [
    ...queries.map(([sentence, ...list]) =>
      conforms(sentence, async (stage) => {
        await prepareSecrets(stage, "a", "b", "c");
        await untilCached(stage, stage.path("secrets"), 3);
        for (const query of list) await stage.get(stage.path(`secrets?${query}`));
      }),
    ),
    conforms("a list is ordered by name", async (stage) => {
      await prepareSecrets(stage, "b", "a.z", "a-z", "a");
      await stage.get(stage.path("secrets"));
    }),
    conforms("an empty list has no items", async (stage) => {
      await stage.get(stage.path("secrets"));
      await stage.get(stage.path("apps/v1:deployments"));
      await stage.get(stage.path("secrets?limit=1"));
    }),
    conforms("a list comes in pages", async (stage) => {
      await prepareSecrets(stage, "a", "b", "c", "d", "e");
      const first = await stage.get(stage.path("secrets?limit=2"));
      const second = await stage.get(stage.path(`secrets?limit=2&continue=${continueOf(first)}`));
      await stage.get(stage.path(`secrets?limit=2&continue=${continueOf(second)}`));
      stage.record("one version", versionOf(first) === versionOf(second));
    }),
    conforms("pages show what was there when they began", async (stage) => {
      await prepareSecrets(stage, "a", "b", "c");
      const first = await stage.get(stage.path("secrets?limit=1"));
      await stage.remove(stage.path("secrets/b"));
      await prepareSecrets(stage, "d");
      await stage.get(stage.path(`secrets?continue=${continueOf(first)}`));
      await stage.get(stage.path("secrets"));
    }),
    conforms("a page does not count what is left if there is a selector", async (stage) => {
      await prepareSecrets(stage, "a", "b", "c");
      const first = await stage.get(stage.path("secrets?limit=1&labelSelector=!none"));
      await stage.get(stage.path(`secrets?limit=1&labelSelector=!none&continue=${continueOf(first)}`));
    }),
    conforms("the last page is exactly full", async (stage) => {
      await prepareSecrets(stage, "a", "b");
      const first = await stage.get(stage.path("secrets?limit=1"));
      await stage.get(stage.path(`secrets?limit=1&continue=${continueOf(first)}`));
    }),
    conforms("a page of an exact version", async (stage) => {
      await prepareSecrets(stage, "a", "b", "c");
      const version = versionOf(await stage.get(stage.path("secrets")));
      await stage.remove(stage.path("secrets/a"));
      const exactly = `resourceVersion=${version}&resourceVersionMatch=Exact`;
      const first = await stage.get(stage.path(`secrets?limit=2&${exactly}`));
      await stage.get(stage.path(`secrets?limit=2&continue=${continueOf(first)}`));
    }),
    conforms("a list is read as it was at a version", async (stage) => {
      await prepareSecrets(stage, "a");
      const version = versionOf(await stage.get(stage.path("secrets")));
      await prepareSecrets(stage, "b");
      await stage.get(stage.path(`secrets?resourceVersion=${version}&resourceVersionMatch=Exact`));
      await stage.get(stage.path(`secrets?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`));
    }),
    conforms("a version that is yet to come is refused", async (stage) => {
      const version = "999999999";
      await stage.get(stage.path(`secrets?resourceVersion=${version}&resourceVersionMatch=Exact`));
      await stage.get(stage.path(`secrets/a?resourceVersion=${version}`));
    }),
    conforms("an object is read at any version and at its own", async (stage) => {
      const stored = await stage.prepare(stage.path("secrets"), secret("a"));
      await untilCached(stage, stage.path("secrets"), 1);
      await stage.get(stage.path("secrets/a?resourceVersion=0"));
      await stage.get(stage.path(`secrets/a?resourceVersion=${versionOf(stored)}`));
      await stage.get(stage.path("secrets/a?resourceVersion=abc"));
    }),
    conforms("a list of all namespaces is ordered by namespace", async (stage) => {
      const labels = { owner: stage.namespace };
      await stage.prepare(stage.path("secrets"), secret("b", { metadata: { labels } }));
      await stage.prepare(stage.path("secrets"), secret("a", { metadata: { labels } }));
      await stage.get(`/api/v1/secrets?labelSelector=owner=${stage.namespace}`);
    }),
    conforms("the items of a list have no kind of their own", async (stage) => {
      await prepareSecrets(stage, "a");
      const list = await stage.get(stage.path("secrets"));
      const items = field(list, "items");
      stage.record("kind", Array.isArray(items) ? (field(items[0], "kind") ?? "none") : "no items");
    }),
    conforms("the version of a list grows", async (stage) => {
      const before = versionOf(await stage.get(stage.path("secrets")));
      await prepareSecrets(stage, "a");
      const after = versionOf(await stage.get(stage.path("secrets")));
      stage.record("grows", Number(after) > Number(before));
    }),
  ],
};
