import { isRecord } from "@keelson/core";
import { describe, expect, it } from "vitest";
import {
  at,
  gadget,
  note,
  objectOf,
  refusal,
  sent,
  servedKind,
  stored,
  type World,
  writerWorld,
} from "../../../test/support/writer-world.ts";

/** Ends gracefully once it runs somewhere. */
const pod = servedKind("Pod", {
  strategy: {
    gracePeriodSeconds({ spec }, requested) {
      return isRecord(spec) && spec.nodeName !== undefined ? (requested ?? 30) : 0;
    },
  },
});

async function createdNote(world: World, finalizers: readonly string[] = []): Promise<string> {
  const object = sent(note, { name: "a", finalizers });
  return (await world.writer.create(at(note, ""), object, world.options)).metadata.uid ?? "";
}

describe("a deletion", () => {
  it("removes the object and returns a Status that names it", async () => {
    const world = writerWorld();
    const object = sent(gadget, { name: "a" });
    const { metadata } = await world.writer.create(at(gadget, ""), object, world.options);
    const expected = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "a", group: "example.com", kind: "gadgets", uid: metadata.uid },
    };
    expect(await world.writer.delete(at(gadget, "a"), { ...world.options, dryRun: true })).toEqual(expected);
    expect(stored(world, gadget, "a")).toBeDefined();
    expect(await world.writer.delete(at(gadget, "a"), world.options)).toEqual(expected);
    expect(stored(world, gadget, "a")).toBeUndefined();
  });

  it("returns the object itself for some kinds", async () => {
    const service = servedKind("Service");
    const world = writerWorld([service]);
    await world.writer.create(at(service, ""), sent(service, { name: "a" }), world.options);
    expect(await world.writer.delete(at(service, "a"), world.options)).toMatchObject({ kind: "Service" });
    expect(stored(world, service, "a")).toBeUndefined();
  });

  it("of nothing is not found", async () => {
    const world = writerWorld();
    const deletion = world.writer.delete(at(note, "a"), world.options);
    expect(await refusal(deletion)).toMatchObject({ code: 404, message: 'notes "a" not found' });
  });

  it("waits for finalizers, with a mark that counts as a change", async () => {
    const world = writerWorld();
    const object = sent(gadget, { name: "a", finalizers: ["e.com/x"] });
    await world.writer.create(at(gadget, ""), object, world.options);
    const marked = await world.writer.delete(at(gadget, "a"), world.options);
    expect(marked).toMatchObject({
      metadata: {
        deletionTimestamp: "2030-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 0,
        generation: 2,
        finalizers: ["e.com/x"],
      },
    });
    world.now += 5000;
    expect(await world.writer.delete(at(gadget, "a"), world.options)).toEqual(marked);
    expect(stored(world, gadget, "a")).toEqual(marked);
  });

  it("is refused if another object or another state of it is meant", async () => {
    const world = writerWorld();
    const uid = await createdNote(world);
    const byUid = world.writer.delete(at(note, "a"), { ...world.options, preconditions: { uid: "x" } });
    expect(await refusal(byUid)).toMatchObject({
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on Note "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      details: { name: "a", kind: "Note" },
    });
    const preconditions = { resourceVersion: "1" };
    const byVersion = world.writer.delete(at(note, "a"), { ...world.options, preconditions });
    expect((await refusal(byVersion)).message).toBe(
      `Operation cannot be fulfilled on Note "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${world.store.revision}). The object might have been modified`,
    );
  });

  it("is admitted with the old object and no new one, dry runs too", async () => {
    const world = writerWorld();
    await createdNote(world);
    const seen: unknown[] = [];
    world.admission = {
      mutating: [{ name: "m", mutate: (request, object) => void seen.push(request.operation, object) }],
      validating: [{ name: "v", validate: ({ oldObject }) => void seen.push(oldObject?.metadata.name) }],
    };
    await world.writer.delete(at(note, "a"), { ...world.options, dryRun: true });
    expect(seen).toEqual(["DELETE", undefined, "a"]);
  });

  it("of a collection skips objects that no longer exist", async () => {
    const world = writerWorld();
    await world.writer.create(at(note, ""), sent(note, { name: "deleted" }), world.options);
    await createdNote(world);
    const listed = world.store.list(note.collection);
    await world.writer.delete(at(note, "deleted"), world.options);
    await world.writer.deleteCollection(note, listed, world.options);
    expect(world.store.count(note.collection)).toBe(0);
  });
});

describe("the propagation policy", () => {
  it.each([
    [{ propagationPolicy: "Foreground" }, [], ["foregroundDeletion"]],
    [{ propagationPolicy: "Orphan" }, ["e.com/x"], ["e.com/x", "orphan"]],
    [{ orphanDependents: true }, [], ["orphan"]],
    [{}, ["foregroundDeletion"], ["foregroundDeletion"]],
    [{ propagationPolicy: "Orphan" }, ["foregroundDeletion"], ["orphan"]],
    [{ orphanDependents: false }, ["orphan", "e.com/x"], ["e.com/x"]],
  ] as const)("with %j and finalizers %j sets %j", async (options, before, after) => {
    const world = writerWorld();
    await createdNote(world, before);
    await world.writer.delete(at(note, "a"), { ...world.options, ...options });
    expect(stored(world, note, "a")?.metadata.finalizers).toEqual(after);
  });

  it("needs no finalizer in the background", async () => {
    const world = writerWorld();
    await createdNote(world, ["orphan"]);
    await world.writer.delete(at(note, "a"), { ...world.options, propagationPolicy: "Background" });
    expect(stored(world, note, "a")).toBeUndefined();
  });

  it("can still be decided when the object is being deleted already", async () => {
    const world = writerWorld();
    await createdNote(world, ["e.com/x"]);
    await world.writer.delete(at(note, "a"), world.options);
    await world.writer.delete(at(note, "a"), { ...world.options, propagationPolicy: "Foreground" });
    expect(stored(world, note, "a")?.metadata.finalizers).toEqual(["e.com/x", "foregroundDeletion"]);
  });

  it("is by default that of the kind, with a warning for Jobs", async () => {
    const job = servedKind("Job", { group: "batch", strategy: { defaultPropagation: "Orphan" } });
    const world = writerWorld([job]);
    await world.writer.create(at(job, ""), sent(job, { name: "a" }), world.options);
    await world.writer.delete(at(job, "a"), world.options);
    expect(stored(world, job, "a")?.metadata.finalizers).toEqual(["orphan"]);
    expect(world.warnings).toEqual([
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    ]);
  });
});

describe("a kind that ends gracefully", () => {
  async function createdPod(world: World, spec: Readonly<Record<string, unknown>>): Promise<void> {
    await world.writer.create(at(pod, ""), sent(pod, { name: "a" }, { spec }), world.options);
  }

  it("stays until its time is over", async () => {
    const world = writerWorld([pod]);
    await createdPod(world, { nodeName: "n" });
    const marked = await world.writer.delete(at(pod, "a"), world.options);
    expect(marked).toMatchObject({
      kind: "Pod",
      metadata: { deletionTimestamp: "2030-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 },
    });
    expect(await world.writer.delete(at(pod, "a"), world.options)).toEqual(marked);
  });

  it("is removed at once if its kind allows it, after it was marked", async () => {
    const world = writerWorld([pod]);
    await createdPod(world, {});
    const changes: unknown[] = [];
    world.store.subscribe(pod.collection, world.store.revision, ({ type, object }) => {
      changes.push([type, object.metadata.deletionGracePeriodSeconds]);
    });
    const response = objectOf(await world.writer.delete(at(pod, "a"), world.options));
    expect(changes).toEqual([
      ["MODIFIED", 0],
      ["DELETED", 0],
    ]);
    expect(response.metadata.resourceVersion).toBe(String(world.store.revision));
  });

  it("is only ever deleted sooner by another deletion", async () => {
    const world = writerWorld([pod]);
    await createdPod(world, { nodeName: "n" });
    await world.writer.delete(at(pod, "a"), { ...world.options, gracePeriodSeconds: 20 });
    world.now += 2000;
    await world.writer.delete(at(pod, "a"), { ...world.options, gracePeriodSeconds: 25 });
    expect(stored(world, pod, "a")?.metadata.deletionGracePeriodSeconds).toBe(20);
    await world.writer.delete(at(pod, "a"), { ...world.options, gracePeriodSeconds: 10 });
    expect(stored(world, pod, "a")?.metadata).toMatchObject({
      deletionTimestamp: "2030-01-01T00:00:10Z",
      deletionGracePeriodSeconds: 10,
    });
    await world.writer.delete(at(pod, "a"), { ...world.options, gracePeriodSeconds: 1 });
    expect(stored(world, pod, "a")?.metadata).toMatchObject({
      deletionTimestamp: "2030-01-01T00:00:02Z",
      deletionGracePeriodSeconds: 1,
    });
    await world.writer.delete(at(pod, "a"), { ...world.options, gracePeriodSeconds: 0 });
    expect(stored(world, pod, "a")).toBeUndefined();
  });

  it("keeps its grace period when its last finalizer is removed", async () => {
    const world = writerWorld([pod]);
    const object = sent(pod, { name: "a", finalizers: ["e.com/x"] }, { spec: { nodeName: "n" } });
    await world.writer.create(at(pod, ""), object, world.options);
    await world.writer.delete(at(pod, "a"), world.options);
    const released = sent(pod, { name: "a" }, { spec: { nodeName: "n" } });
    await world.writer.update(at(pod, "a"), released, world.options);
    expect(stored(world, pod, "a")?.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it("returns on a dry run the object as it would be", async () => {
    const world = writerWorld([pod]);
    await createdPod(world, { nodeName: "n" });
    const { revision } = world.store;
    expect(await world.writer.delete(at(pod, "a"), { ...world.options, dryRun: true })).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
    });
    expect(world.store.revision).toBe(revision);
  });
});

it("marks a CustomResourceDefinition for its controller", async () => {
  const definition = servedKind("CustomResourceDefinition", {
    group: "apiextensions.k8s.io",
    scope: "Cluster",
  });
  const world = writerWorld([definition]);
  await world.writer.create(at(definition, ""), sent(definition, { name: "a.b" }), world.options);
  expect(await world.writer.delete(at(definition, "a.b"), world.options)).toMatchObject({
    metadata: {
      deletionTimestamp: "2030-01-01T00:00:00Z",
      finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
    },
    status: {
      conditions: [
        {
          type: "Terminating",
          status: "True",
          lastTransitionTime: "2030-01-01T00:00:00Z",
          reason: "InstanceDeletionPending",
          message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        },
      ],
    },
  });
});
