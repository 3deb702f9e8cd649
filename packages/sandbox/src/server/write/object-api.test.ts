import { genericResource } from "@keelson/core";
import { ReplicaSet } from "@keelson/core/kinds/apps/v1";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { gadget, note, refusal, sent, writerWorld } from "../../../test/support/writer-world.ts";
import { builtinServedResources } from "../../builtin/builtin-resources.ts";
import { ConvertedReadError, createObjectApi } from "./object-api.ts";

const notes = genericResource(note);
const gadgets = genericResource(gadget);
const options = { manager: "controller" };

describe("the objects inside the process", () => {
  it("are created, read, listed, replaced and deleted as by requests", async () => {
    const { writer, store, registry } = writerWorld();
    const objects = createObjectApi(writer, store, registry);
    const key = { namespace: "shop", name: "a" };
    const created = await objects.create(gadgets, sent(gadget, key, { spec: { size: 1 } }), options);
    expect(objects.get(gadgets, key)).toBe(created);
    expect(objects.list(gadgets, "shop")).toEqual([created]);
    expect(objects.list(gadgets)).toEqual([created]);
    expect(objects.list(gadgets, "other")).toEqual([]);
    const updated = await objects.update(gadgets, { ...created, spec: { size: 2 } }, options);
    expect(updated).toMatchObject({
      spec: { size: 2 },
      metadata: { generation: 2, managedFields: [{ manager: "controller" }] },
    });
    const status = { ...updated, status: { phase: "Ready" } };
    const after = await objects.update(gadgets, status, { ...options, subresource: "status" });
    expect(after).toMatchObject({ status: { phase: "Ready" } });
    expect((await refusal(objects.update(gadgets, created, options))).reason).toBe("Conflict");
    await objects.delete(gadgets, key, options);
    expect(objects.get(gadgets, key)).toBeUndefined();
  });

  it("do not change the object of the caller", async () => {
    const { writer, store, registry } = writerWorld();
    const objects = createObjectApi(writer, store, registry);
    const object = sent(note, { name: "a", namespace: "shop" });
    const before = structuredClone(object);
    await objects.create(notes, object, options);
    expect(object).toEqual(before);
  });

  it("are stored in the form of a decoded request: without empty fields, with short quantities", async () => {
    const { writer, store, registry } = writerWorld(builtinServedResources());
    const objects = createObjectApi(writer, store, registry);
    const container = { name: "main", image: "web:1", resources: { limits: { cpu: "1000m" } } };
    const spec = {
      minReadySeconds: 0,
      replicas: 0,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
    };
    const set: ReplicaSet = {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: "web", namespace: "shop" },
      spec,
    };
    const created = await objects.create(ReplicaSet, set, options);
    expect(created.spec).toMatchObject({ replicas: 0 });
    expect(created.spec).not.toHaveProperty("minReadySeconds");
    expect(created.spec?.template?.spec?.containers[0]?.resources).toEqual({ limits: { cpu: "1" } });
    const longer = { ...created, spec: { ...spec, minReadySeconds: 5 } };
    const changed = await objects.update(ReplicaSet, longer, options);
    expect(changed.spec?.minReadySeconds).toBe(5);
    const again = await objects.update(ReplicaSet, { ...changed, spec }, options);
    expect(again.spec).toEqual(created.spec);
  });

  it("that do not fit the type are refused as a request is", async () => {
    const { writer, store, registry } = writerWorld(builtinServedResources());
    const objects = createObjectApi(writer, store, registry);
    const maps = genericResource(ConfigMap);
    const metadata = { name: "a", namespace: "shop" };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: 1 } };
    expect((await refusal(objects.create(maps, object, options))).code).toBe(400);
  });

  it("of a kind that is not served are not found", () => {
    const { writer, store, registry } = writerWorld([note]);
    const objects = createObjectApi(writer, store, registry);
    expect(() => objects.list(gadgets)).toThrow("the server could not find the requested resource");
  });

  it("are read in other versions only where these look the same", async () => {
    const same = { ...note, version: "v2" };
    const converted = { ...note, version: "v3", convert: () => Promise.resolve([]) };
    const { writer, store, registry } = writerWorld([note, same, converted]);
    const objects = createObjectApi(writer, store, registry);
    await objects.create(notes, sent(note, { name: "a", namespace: "shop" }), options);
    expect(objects.list(genericResource(same))).toMatchObject([{ apiVersion: "v2" }]);
    expect(() => objects.list(genericResource(converted))).toThrow(ConvertedReadError);
  });
});
