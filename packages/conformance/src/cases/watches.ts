import { type CaseGroup, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { untilCached } from "./lists.ts";
import { configMap, type Fields, secret } from "./manifests.ts";

const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const partial = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };

const labelled = (name: string, labels: Fields): Fields => secret(name, { metadata: { labels } });

/** The version from which on the case has a history. */
async function versionNow(stage: Stage): Promise<string> {
  const list = await stage.quietly({ method: "GET", path: stage.path("secrets") });
  return String(field(list, "metadata.resourceVersion"));
}

/** A secret is made, changed and removed; another is made. */
async function prepareHistory(stage: Stage): Promise<string> {
  const version = await versionNow(stage);
  await stage.prepare(stage.path("secrets"), labelled("a", { app: "web" }));
  await stage.quietly({
    method: "PATCH",
    path: stage.path("secrets/a"),
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ metadata: { labels: { app: "db" } } }),
  });
  await stage.remove(stage.path("secrets/a"));
  await stage.prepare(stage.path("secrets"), labelled("b", { app: "web" }));
  await untilCached(stage, stage.path("secrets?labelSelector=app%3Dweb"), 1);
  return version;
}

export const watchCases: CaseGroup = {
  title: "watches",
  cases: [
    conforms("a watch shows all changes after a version", async (stage) => {
      const version = await prepareHistory(stage);
      await stage.watch(stage.path(`secrets?watch=true&resourceVersion=${version}`), 4);
    }),
    conforms("a watch ends when its time is over", async (stage) => {
      const version = await prepareHistory(stage);
      await stage.watch(stage.path(`secrets?watch=1&timeoutSeconds=3&resourceVersion=${version}`), 9);
    }),
    conforms("a watch without a version begins with the objects that exist", async (stage) => {
      await prepareHistory(stage);
      await stage.watch(stage.path("secrets?watch=true&timeoutSeconds=3"), 9);
    }),
    conforms("a watch from the version 0 begins with the objects that exist", async (stage) => {
      await prepareHistory(stage);
      await stage.watch(stage.path("secrets?watch=true&resourceVersion=0&timeoutSeconds=3"), 9);
    }),
    conforms("objects enter and leave a watch by their labels", async (stage) => {
      const version = await prepareHistory(stage);
      await stage.watch(
        stage.path(`secrets?watch=true&labelSelector=app%3Dweb&resourceVersion=${version}`),
        3,
      );
      await stage.watch(
        stage.path(`secrets?watch=true&labelSelector=app%3Ddb&resourceVersion=${version}`),
        2,
      );
    }),
    conforms("one object is watched by its name", async (stage) => {
      const version = await prepareHistory(stage);
      const query = `watch=true&fieldSelector=metadata.name%3Da&resourceVersion=${version}`;
      await stage.watch(stage.path(`secrets?${query}`), 3);
    }),
    conforms("one object is watched by its path", async (stage) => {
      const version = await prepareHistory(stage);
      await stage.watch(stage.path(`secrets/a?watch=true&resourceVersion=${version}`), 3);
    }),
    conforms("a watch by the old path", async (stage) => {
      const version = await prepareHistory(stage);
      await stage.watch(`/api/v1/watch/namespaces/${stage.namespace}/secrets?resourceVersion=${version}`, 4);
      await stage.watch(
        `/api/v1/watch/namespaces/${stage.namespace}/secrets/b?resourceVersion=${version}`,
        1,
      );
    }),
    conforms("all namespaces are watched", async (stage) => {
      const version = await versionNow(stage);
      await stage.prepare(stage.path("secrets"), labelled("a", { owner: stage.namespace }));
      await stage.watch(
        `/api/v1/secrets?watch=true&labelSelector=owner%3D${stage.namespace}&resourceVersion=${version}`,
        1,
      );
    }),
    conforms("initial events end with a bookmark", async (stage) => {
      await prepareHistory(stage);
      const query =
        "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      await stage.watch(stage.path(`secrets?${query}`), 2);
    }),
    conforms("initial events of nothing are a bookmark alone", async (stage) => {
      const query =
        "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      await stage.watch(stage.path(`secrets?${query}`), 1);
    }),
    conforms("initial events can be left out", async (stage) => {
      await prepareHistory(stage);
      const query = "watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
      await stage.watch(stage.path(`secrets?${query}`), 5);
    }),
    conforms("initial events need their rules to be kept", async (stage) => {
      for (const query of [
        "sendInitialEvents=true",
        "sendInitialEvents=true&allowWatchBookmarks=true",
        "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
        "resourceVersionMatch=NotOlderThan",
        "sendInitialEvents=perhaps&resourceVersionMatch=NotOlderThan",
      ]) {
        await stage.watch(stage.path(`secrets?watch=true&timeoutSeconds=1&${query}`), 1);
      }
    }),
    conforms("a watch is shown as tables, the first with its columns", async (stage) => {
      const version = await prepareHistory(stage);
      await stage.watch(stage.path(`secrets?watch=true&resourceVersion=${version}`), 4, table);
    }),
    conforms("a watch is shown as metadata", async (stage) => {
      const version = await prepareHistory(stage);
      await stage.watch(stage.path(`secrets?watch=true&resourceVersion=${version}`), 2, partial);
    }),
    conforms("a watch from a version that is none is refused", async (stage) => {
      await stage.watch(stage.path("secrets?watch=true&resourceVersion=abc"), 1);
    }),
    conforms("a watch with selectors that are none is refused", async (stage) => {
      await stage.watch(stage.path("secrets?watch=true&labelSelector=a%3Db%3Dc"), 1);
      await stage.watch(stage.path("secrets?watch=true&fieldSelector=spec.x%3Dc"), 1);
    }),
    conforms("a watch of what does not exist is not found", async (stage) => {
      await stage.watch(stage.path("things?watch=true"), 1);
    }),
    conforms("a watch of a name that is not there waits for it", async (stage) => {
      await stage.watch(stage.path("secrets?watch=true&fieldSelector=metadata.name%3Dx&timeoutSeconds=1"), 1);
    }),
    conforms("a watch that is not true is a list", async (stage) => {
      await stage.get(stage.path("secrets?watch=false"));
      await stage.get(stage.path("secrets?watch=0"));
    }),
    conforms("what cannot be watched is not", async (stage) => {
      await stage.watch(stage.path("pods/a/status?watch=true&timeoutSeconds=1"), 1);
    }),
    conforms("a finalizer makes a deletion a change", async (stage) => {
      const version = await versionNow(stage);
      await stage.prepare(
        stage.path("configmaps"),
        configMap("a", { metadata: { finalizers: ["a.b/c"], labels: { x: "y" } } }),
      );
      await stage.remove(stage.path("configmaps/a"));
      await stage.patch(stage.path("configmaps/a"), { metadata: { finalizers: null } });
      await stage.watch(stage.path(`configmaps?watch=true&labelSelector=x&resourceVersion=${version}`), 3);
    }),
    conforms("a no-op is no event", async (stage) => {
      const version = await versionNow(stage);
      await stage.prepare(stage.path("secrets"), secret("a"));
      await stage.patch(stage.path("secrets/a"), { metadata: { labels: null } });
      await stage.watch(stage.path(`secrets?watch=true&timeoutSeconds=3&resourceVersion=${version}`), 3);
    }),
    conforms("events carry the version of their change", async (stage) => {
      const version = await prepareHistory(stage);
      const events = await stage.watch(stage.path(`secrets?watch=true&resourceVersion=${version}`), 4);
      const versions = events.map((event) => Number(field(event, "object.metadata.resourceVersion")));
      stage.record(
        "in order",
        versions.every((value, at) => at === 0 || value > (versions[at - 1] ?? 0)),
      );
    }),
  ],
};
