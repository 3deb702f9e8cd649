import { describe, expect, it } from "vitest";
import {
  at,
  gadget,
  note,
  refusal,
  sent,
  servedKind,
  stored,
  writerWorld,
} from "../../../test/support/writer-world.ts";
import type { AdmissionRequest } from "../../admission/admission.ts";
import { forbidden } from "../../status/api-error.ts";

describe("admission", () => {
  it("changes the object, in turn, before it is checked", async () => {
    const world = writerWorld();
    world.admission = {
      mutating: [
        {
          name: "one",
          async mutate(_request, object) {
            await Promise.resolve();
            if (object !== undefined) object.metadata.labels = { one: "1" };
          },
        },
        {
          name: "two",
          mutate(_request, object) {
            if (object !== undefined) object.spec = { tags: Object.keys(object.metadata.labels ?? {}) };
          },
        },
      ],
      validating: [],
    };
    const created = await world.writer.create(at(gadget, ""), sent(gadget, { name: "a" }), world.options);
    expect(created).toMatchObject({ metadata: { labels: { one: "1" } }, spec: { size: 3, tags: ["one"] } });
  });

  it("sees the uid and a generated name only when it validates, and then nothing can be changed", async () => {
    const world = writerWorld();
    const seen: unknown[] = [];
    world.admission = {
      mutating: [{ name: "m", mutate: ({ name }, object) => void seen.push(name, object?.metadata.uid) }],
      validating: [
        {
          name: "v",
          validate: ({ name }, object) => {
            seen.push(name, object?.metadata.uid);
            expect(Object.isFrozen(object?.metadata)).toBe(true);
          },
        },
      ],
    };
    const { metadata } = await world.writer.create(
      at(note, ""),
      sent(note, { generateName: "a-" }),
      world.options,
    );
    expect(seen).toEqual(["", undefined, metadata.name, metadata.uid]);
  });

  it("that refuses keeps the object out", async () => {
    const world = writerWorld();
    world.admission = {
      mutating: [],
      validating: [
        {
          name: "no",
          validate({ resource, name }) {
            throw forbidden(resource, name, "not today");
          },
        },
      ],
    };
    const refused = world.writer.create(at(note, ""), sent(note, { name: "a" }), world.options);
    expect(await refusal(refused)).toMatchObject({ code: 403, message: 'notes "a" is forbidden: not today' });
    expect(stored(world, note, "a")).toBeUndefined();
  });

  it("gets the operation by its effect, with options of that kind", async () => {
    const world = writerWorld();
    const requests: AdmissionRequest[] = [];
    world.admission = {
      mutating: [{ name: "m", mutate: (request) => void requests.push(request) }],
      validating: [],
    };
    const options = {
      ...world.options,
      admissionOptions: {
        kind: "PatchOptions",
        apiVersion: "meta.k8s.io/v1",
        force: true,
        fieldManager: "me",
      },
    };
    const configuration = sent(gadget, { name: "a" }, { spec: { size: 1 } });
    await world.writer.patch(at(gadget, "a"), { type: "apply", configuration, force: true }, options);
    await world.writer.patch(at(gadget, "a", "status"), { type: "merge", patch: {} }, options);
    expect(requests).toMatchObject([
      {
        operation: "CREATE",
        oldObject: undefined,
        namespace: "shop",
        options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
      },
      { operation: "UPDATE", subresource: "status", name: "a", options: { kind: "UpdateOptions" } },
    ]);
    expect(requests[1]?.oldObject).toBe(stored(world, gadget, "a"));
    expect(requests[0]?.options).not.toHaveProperty("force");
  });

  it("sees a Namespace inside of itself", async () => {
    const namespace = servedKind("Namespace", { scope: "Cluster" });
    const world = writerWorld([namespace]);
    const seen: unknown[] = [];
    world.admission = {
      mutating: [{ name: "m", mutate: (request) => void seen.push(request.namespace) }],
      validating: [],
    };
    await world.writer.create(at(namespace, ""), sent(namespace, { name: "a" }), world.options);
    expect(seen).toEqual(["a"]);
  });
});

describe("a name that is taken while admission thinks", () => {
  it("is refused if the writer chose it, and replaced if it was generated", async () => {
    const world = writerWorld();
    const competing = { mutating: [], validating: [] };
    let taken = "";
    const racing = {
      mutating: [],
      validating: [
        {
          name: "slow",
          async validate({ name }: AdmissionRequest) {
            if (taken !== "") return;
            taken = name;
            world.admission = competing;
            await world.writer.create(at(note, ""), sent(note, { name }), world.options);
            world.admission = racing;
          },
        },
      ],
    };
    world.admission = racing;
    const { metadata } = await world.writer.create(
      at(note, ""),
      sent(note, { generateName: "a-" }),
      world.options,
    );
    expect(taken).toMatch(/^a-/);
    expect(metadata.name).not.toBe(taken);
    taken = "";
    const chosen = world.writer.create(at(note, ""), sent(note, { name: "b" }), world.options);
    expect((await refusal(chosen)).reason).toBe("AlreadyExists");
  });
});
