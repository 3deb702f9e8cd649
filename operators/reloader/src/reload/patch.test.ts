import type { Stored } from "keelson";
import type { Container, PodTemplateSpec } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { annotationKeys } from "../api/annotation-keys.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadKindName } from "../workload/workload-kind.ts";
import { workloadKinds, workloadOf } from "../workload/workload-kinds.ts";
import { templatePatch, unrecordedReload } from "./patch.ts";
import type { ReloadRequest, ResourceChange } from "./reload-request.ts";

const keys = annotationKeys();
const time = "2026-11-18T10:00:00.123Z";
const guards = [
  { op: "test", path: "/metadata/uid", value: "uid-1" },
  { op: "test", path: "/metadata/generation", value: 7 },
];
const annotations = "/spec/template/metadata/annotations";
const lastReload = `${annotations}/reloader.stakater.com~1last-reload`;
const resourceHash = `${annotations}/reloader.stakater.com~1resource-hash`;
const marks = { [keys.lastReload]: time, [keys.resourceHash]: "hash" };

function deployment(template: PodTemplateSpec, kind: WorkloadKindName = "Deployment"): Workload {
  const spec = workloadKinds[kind].templatePath
    .slice(1)
    .reduceRight<object>((value, field) => ({ [field]: value }), template);
  const object: Stored & { readonly spec: object } = {
    apiVersion: "apps/v1",
    kind,
    metadata: {
      namespace: "shop",
      name: "web",
      uid: "uid-1",
      generation: 7,
      resourceVersion: "12",
      creationTimestamp: "2026-11-18T09:00:00Z",
    },
    spec,
  };
  return workloadOf(kind, object);
}

function change(name: string, part: Partial<ResourceChange> = {}): ResourceChange {
  return {
    resource: { kind: "Secret", namespace: "shop", name },
    from: "old",
    to: "new",
    upstreamHash: `sha1-${name}`,
    isExplicit: true,
    ...part,
  };
}

function request(
  workload: Workload,
  changes: readonly ResourceChange[],
  strategy: ReloadRequest["strategy"] = "env-vars",
): ReloadRequest {
  return { workload, strategy, changes, time, hash: "hash", previousReloads: 0 };
}

/** The operations beside the guards. */
function changesOf(value: ReloadRequest): readonly unknown[] {
  const patch = templatePatch(value, keys);
  expect(patch?.slice(0, 2)).toEqual(guards);
  return patch?.slice(2) ?? [];
}

const app: Container = { name: "app" };
const sidecar: Container = { name: "sidecar", envFrom: [{ secretRef: { name: "db" } }] };
const annotated = { metadata: { annotations: { other: "1" } } };

describe("env-vars", () => {
  it("adds the variable and the annotations to a template that has neither variables nor metadata", () => {
    expect(changesOf(request(deployment({ spec: { containers: [app] } }), [change("db")]))).toEqual([
      {
        op: "add",
        path: "/spec/template/spec/containers/0/env",
        value: [{ name: "RELOADER_TRIGGERED_AT", value: time }],
      },
      { op: "add", path: "/spec/template/metadata", value: { annotations: marks } },
    ]);
  });

  it("changes the variable and the annotations of the last reload, and nothing else", () => {
    const template = {
      metadata: { annotations: { ...annotated.metadata.annotations, ...marks, [keys.lastReload]: "before" } },
      spec: {
        containers: [
          {
            name: "app",
            env: [
              { name: "A", value: "1" },
              { name: "RELOADER_TRIGGERED_AT", value: "before" },
              { name: "B", value: "2" },
            ],
          },
        ],
      },
    };
    expect(changesOf(request(deployment(template), [change("db")]))).toEqual([
      { op: "replace", path: lastReload, value: time },
      { op: "replace", path: "/spec/template/spec/containers/0/env/1/value", value: time },
    ]);
  });

  it.each([
    ["the container that uses the resource", { containers: [app, sidecar] }, 1],
    ["the first one if only an init container uses it", { containers: [app], initContainers: [sidecar] }, 0],
    ["the first one if none uses it", { containers: [app, { name: "other" }] }, 0],
  ])("sets the variable in %s", (_title, spec, index) => {
    const operations = changesOf(request(deployment({ ...annotated, spec }), [change("db")]));
    expect(operations).toContainEqual({
      op: "add",
      path: `/spec/template/spec/containers/${index}/env`,
      value: [{ name: "RELOADER_TRIGGERED_AT", value: time }],
    });
    expect(operations).toHaveLength(3);
  });

  it("does not take a container for a user of a resource of the same name in another namespace", () => {
    const foreign = change("db", { resource: { kind: "Secret", namespace: "other", name: "db" } });
    const workload = deployment({ ...annotated, spec: { containers: [app, sidecar] } });
    expect(changesOf(request(workload, [foreign]))).toContainEqual(
      expect.objectContaining({ path: "/spec/template/spec/containers/0/env" }),
    );
  });

  it.each([
    ["Deployment", "/spec/template"],
    ["StatefulSet", "/spec/template"],
    ["DaemonSet", "/spec/template"],
    ["Rollout", "/spec/template"],
    ["DeploymentConfig", "/spec/template"],
    ["CronJob", "/spec/jobTemplate/spec/template"],
  ] as const)("patches the template of a %s at %s", (kind, pointer) => {
    const workload = deployment({ spec: { containers: [app] } }, kind);
    expect(workload.templatePointer).toBe(pointer);
    expect(changesOf(request(workload, [change("db")]))).toContainEqual({
      op: "add",
      path: `${pointer}/metadata`,
      value: { annotations: marks },
    });
  });

  it("is one patch for several changes", () => {
    const workload = deployment({ ...annotated, spec: { containers: [app, sidecar] } });
    expect(changesOf(request(workload, [change("db"), change("other")]))).toHaveLength(4);
  });
});

describe("upstream's variables", () => {
  const carrying = (...env: { name: string; value: string }[]) =>
    deployment({ ...annotated, spec: { containers: [{ name: "app", env }] } });
  const db = { name: "STAKATER_DB_SECRET", value: "sha1-old" };
  const env = "/spec/template/spec/containers/0/env";
  const annotationsSet = [
    { op: "add", path: lastReload, value: time },
    { op: "add", path: resourceHash, value: "hash" },
  ];

  it.each(["env-vars", "annotations"] as const)("keep showing upstream's hash under %s", (strategy) => {
    const operations = changesOf(request(carrying(db), [change("db")], strategy));
    expect(operations).toContainEqual({ op: "replace", path: `${env}/0/value`, value: "sha1-db" });
    expect(JSON.stringify(operations)).not.toContain("RELOADER_TRIGGERED_AT");
  });

  it("are removed when the resource was deleted", () => {
    const deleted = change("db", { to: "absent", upstreamHash: undefined });
    expect(changesOf(request(carrying(db, { name: "A", value: "1" }), [deleted]))).toEqual([
      ...annotationsSet,
      { op: "remove", path: `${env}/0` },
    ]);
  });

  it("are not added for another resource", () => {
    expect(changesOf(request(carrying(db), [change("other")]))).toEqual([
      ...annotationsSet,
      { op: "add", path: `${env}/1`, value: { name: "RELOADER_TRIGGERED_AT", value: time } },
    ]);
  });

  it("that have the hash already, as two resources share them, do not hide the change", () => {
    const shared = { name: "STAKATER_A_B_SECRET", value: "sha1-equal" };
    const changed = change("a.b", { upstreamHash: "sha1-equal" });
    expect(changesOf(request(carrying(shared), [changed]))).toContainEqual({
      op: "add",
      path: `${env}/1`,
      value: { name: "RELOADER_TRIGGERED_AT", value: time },
    });
  });

  it("have the hash of the one that exists when two resources share them and one was deleted", () => {
    const shared = { name: "STAKATER_A_B_SECRET", value: "sha1-old" };
    const changes = [change("a-b"), change("a.b", { upstreamHash: undefined, to: "absent" })];
    expect(changesOf(request(carrying(shared), changes))).toContainEqual({
      op: "replace",
      path: `${env}/0/value`,
      value: "sha1-a-b",
    });
  });

  it("of the same name in another namespace are not those of the resource", () => {
    const foreign = change("db", { resource: { kind: "Secret", namespace: "other", name: "db" } });
    expect(JSON.stringify(changesOf(request(carrying(db), [foreign])))).not.toContain("sha1-db");
  });
});

describe("annotations", () => {
  it("sets upstream's annotation for the last of the changes, and no variable", () => {
    const workload = deployment({ ...annotated, spec: { containers: [app, sidecar] } });
    expect(changesOf(request(workload, [change("cache"), change("db")], "annotations"))).toEqual([
      {
        op: "add",
        path: `${annotations}/reloader.stakater.com~1last-reloaded-from`,
        value: JSON.stringify({
          type: "SECRET",
          name: "db",
          namespace: "shop",
          hash: "sha1-db",
          containerRefs: ["sidecar"],
          observedAt: 1794996000,
        }),
      },
      { op: "add", path: lastReload, value: time },
      { op: "add", path: resourceHash, value: "hash" },
    ]);
  });

  it("shows an empty hash for a resource that was deleted", () => {
    const deleted = change("db", { to: "absent", upstreamHash: undefined });
    const workload = deployment({ ...annotated, spec: { containers: [app] } });
    const [source] = changesOf(request(workload, [deleted], "annotations"));
    expect(source).toMatchObject({ value: expect.stringContaining('"hash":""') });
  });

  it("of upstream for a changed resource are kept true under env-vars", () => {
    const from = JSON.stringify({ type: "SECRET", name: "db", namespace: "shop", hash: "sha1-old" });
    const template = {
      metadata: { annotations: { [keys.lastReloadedFrom]: from } },
      spec: { containers: [app] },
    };
    expect(JSON.stringify(changesOf(request(deployment(template), [change("db")])))).toContain("sha1-db");
    expect(JSON.stringify(changesOf(request(deployment(template), [change("other")])))).not.toContain(
      "last-reloaded-from",
    );
  });
});

it("restart patches no template, and a workload without template is not patched", () => {
  const workload = deployment({ spec: { containers: [app] } });
  expect(templatePatch(request(workload, [change("db")], "restart"), keys)).toBeUndefined();
  expect(templatePatch(request({ ...workload, template: undefined }, [change("db")]), keys)).toBeUndefined();
});

it("tests the resource version of an object without generation", () => {
  const workload = deployment({ spec: { containers: [app] } });
  const { generation: _, ...metadata } = workload.metadata;
  expect(templatePatch(request({ ...workload, metadata }, [change("db")]), keys)).toContainEqual({
    op: "test",
    path: "/metadata/resourceVersion",
    value: "12",
  });
});

describe("a reload that is not recorded", () => {
  const adoptedAt = "2026-11-18T08:00:00Z";
  const reload = (time: string) => ({ time, strategy: "env-vars" as const, hash: "hash", resources: [] });
  const shown = { metadata: { annotations: marks }, spec: { containers: [app] } };

  it.each([
    [
      "is the one that the template shows after the record's",
      adoptedAt,
      reload("2026-11-18T09:59:00Z"),
      true,
    ],
    ["is the one that the template shows after the adoption", adoptedAt, undefined, true],
    ["is none if the record has the same time", adoptedAt, reload(time), false],
    ["is none if the template was made before the adoption", "2026-11-18T11:00:00Z", undefined, false],
    ["is none without a record", undefined, undefined, false],
  ])("%s", (_title, adoptedAt, lastReload, isUnrecorded) => {
    const status = {
      ...(adoptedAt !== undefined && { adoptedAt }),
      ...(lastReload !== undefined && { lastReload }),
    };
    expect(unrecordedReload(deployment(shown), status, keys)).toEqual(
      isUnrecorded ? { time, hash: "hash" } : undefined,
    );
  });

  it("is never shown by a Job, which was created for the one that it shows", () => {
    expect(unrecordedReload(deployment(shown, "Job"), { adoptedAt }, keys)).toBeUndefined();
  });

  it("of a Rollout may be shown by its own annotations", () => {
    const rollout = deployment({ spec: { containers: [app] } }, "Rollout");
    const metadata = { ...rollout.metadata, annotations: marks };
    expect(unrecordedReload({ ...rollout, metadata }, { adoptedAt }, keys)).toEqual({ time, hash: "hash" });
    expect(
      unrecordedReload({ ...rollout, kind: "Deployment", metadata }, { adoptedAt }, keys),
    ).toBeUndefined();
  });
});
