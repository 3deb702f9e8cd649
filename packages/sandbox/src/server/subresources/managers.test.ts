import { describe, expect, test } from "vitest";
import { type Json, type Reply, type ServerWorld, serverWorld } from "../../../test/support/server-world.ts";
import { builtinServedResources } from "../../builtin/builtin-resources.ts";

const sets = "/apis/apps/v1/namespaces/shop/replicasets";
const merge = { "content-type": "application/merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };
const labels = { app: "web" };

async function withSet(): Promise<ServerWorld> {
  const world = serverWorld(builtinServedResources());
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const body = { metadata: { name: "web" }, spec };
  const headers = { "user-agent": "creator/1" };
  expect((await world.call("POST", sets, { body, headers })).status).toBe(201);
  return world;
}

function applyScale({ call }: ServerWorld, replicas: number, query: string): Promise<Reply> {
  const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: { replicas } };
  return call("PATCH", `${sets}/web/scale?${query}`, { body, headers: apply });
}

/** Who manages the replicas: `Update tester scale`, … */
async function scalers({ call }: ServerWorld): Promise<readonly string[]> {
  const { json } = await call("GET", `${sets}/web`);
  return json.metadata.managedFields
    .filter(({ fieldsV1 }: Json) => fieldsV1["f:spec"]?.["f:replicas"] !== undefined)
    .map(({ operation, manager, subresource = "" }: Json) => `${operation} ${manager} ${subresource}`.trim());
}

describe("a scale", () => {
  test("is owned by its last writer, and is returned without managed fields", async () => {
    const world = await withSet();
    expect(await scalers(world)).toEqual(["Update creator"]);
    const body = { spec: { replicas: 2 } };
    const { json } = await world.call("PATCH", `${sets}/web/scale`, { body, headers: merge });
    expect(json.metadata.managedFields).toBeUndefined();
    expect(await scalers(world)).toEqual(["Update tester scale"]);
    expect((await world.call("GET", `${sets}/web`)).json.metadata.generation).toBe(2);
  });

  test("is applied with conflicts, by force, and together", async () => {
    const world = await withSet();
    await world.call("PATCH", `${sets}/web/scale`, { body: { spec: { replicas: 2 } }, headers: merge });
    expect((await applyScale(world, 3, "fieldManager=ap")).json).toMatchObject({
      code: 409,
      message:
        'Apply failed with 1 conflict: conflict with "tester" with subresource "scale" using autoscaling/v1: .spec.replicas',
    });
    expect((await applyScale(world, 3, "fieldManager=ap&force=true")).json.spec).toEqual({ replicas: 3 });
    expect((await applyScale(world, 3, "fieldManager=other")).status).toBe(200);
    expect(await scalers(world)).toEqual(["Apply ap scale", "Apply other scale"]);
    expect((await applyScale(world, 4, "fieldManager=other")).json.message).toBe(
      'Apply failed with 1 conflict: conflict with "ap" with subresource "scale": .spec.replicas',
    );
  });

  test("has no fields but its own", async () => {
    const world = await withSet();
    const patch = { body: { spec: { foo: "x" } }, headers: merge };
    const warned = await world.call("PATCH", `${sets}/web/scale`, patch);
    expect([warned.status, warned.headers.warning]).toEqual([200, '299 - "unknown field \\"spec.foo\\""']);
    const refused = await world.call("PATCH", `${sets}/web/scale?fieldValidation=Strict`, patch);
    expect(refused.json.message).toMatch(/strict decoding error: unknown field "spec\.foo"$/);
  });
});

describe("a review", () => {
  const reviews = "/apis/authorization.k8s.io/v1";
  const resourceAttributes = { namespace: "shop", verb: "get", resource: "pods" };

  test("is returned with the managed fields of the request", async () => {
    const { call } = serverWorld(builtinServedResources());
    const body = { spec: { user: "bob", resourceAttributes } };
    const { json } = await call("POST", `${reviews}/subjectaccessreviews?fieldManager=me`, { body });
    expect(json.metadata.managedFields).toMatchObject([
      {
        manager: "me",
        fieldsV1: {
          "f:spec": {
            "f:resourceAttributes": { ".": {}, "f:namespace": {}, "f:resource": {}, "f:verb": {} },
            "f:user": {},
          },
        },
      },
    ]);
    expect(json.status).toEqual({ allowed: false });
  });

  test("has no metadata of its own, but for the namespace of local ones", async () => {
    const { call } = serverWorld(builtinServedResources());
    const body = { metadata: { name: "x" }, spec: {} };
    expect((await call("POST", `${reviews}/subjectaccessreviews`, { body })).json.message).toBe(
      '.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified, metadata: Invalid value: {"name":"x"}: must be empty]',
    );
    const local = `${reviews}/namespaces/shop/localsubjectaccessreviews`;
    const ours = { metadata: { namespace: "shop" }, spec: { user: "bob", resourceAttributes } };
    expect((await call("POST", local, { body: ours })).json.metadata.namespace).toBe("shop");
    const theirs = { ...ours, metadata: { namespace: "other" } };
    expect((await call("POST", local, { body: theirs })).json).toMatchObject({
      code: 400,
      message: "the namespace of the provided object does not match the namespace sent on the request",
    });
  });
});

test("Endpoints are deprecated", async () => {
  const { call } = serverWorld(builtinServedResources());
  expect((await call("GET", "/api/v1/endpoints")).headers.warning).toBe(
    '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
  );
});
