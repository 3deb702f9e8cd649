import { describe, expect, test } from "vitest";
import { type Json, type ServerWorld, serverWorld } from "../test/support/server-world.ts";

const notes = "/api/v1/namespaces/shop/notes";
const gadgets = "/apis/example.com/v1/namespaces/shop/gadgets";

async function withNotes(count: number, world = serverWorld()): Promise<ServerWorld> {
  for (let index = 1; index <= count; index++) {
    await world.call("POST", notes, {
      body: { metadata: { name: `n${index}`, labels: { n: String(index) } } },
    });
  }
  return world;
}

function names(list: Json): readonly string[] {
  return list.items.map(({ metadata }: Json) => metadata.name);
}

function status(code: number, reason: string, message: string): object {
  return { status: code, json: { kind: "Status", status: "Failure", reason, message, code } };
}

describe("getting", () => {
  test("returns the object, with the headers that clients use", async () => {
    const { call } = await withNotes(1);
    const { status: code, headers, json } = await call("GET", `${notes}/n1`);
    expect(code).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache, private",
    });
    expect(headers["audit-id"]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(json).toMatchObject({ kind: "Note", apiVersion: "v1", metadata: { name: "n1" } });
  });

  test("reports what was not found, and unknown paths", async () => {
    const { call } = await withNotes(1);
    expect(await call("GET", `${notes}/x`)).toMatchObject(status(404, "NotFound", 'notes "x" not found'));
    const nowhere = "the server could not find the requested resource";
    expect(await call("GET", "/api/v1/foos")).toMatchObject(status(404, "NotFound", nowhere));
    expect(await call("GET", "/api/v1/notes/n1")).toMatchObject(status(404, "NotFound", nowhere));
    const page = { status: 404, text: "404 page not found\n" };
    expect(await call("GET", "/apis/foo/v1/bars")).toMatchObject(page);
    expect(await call("GET", "/foo")).toMatchObject(page);
    const problem = `Name parameter invalid: "..": may not be '..'`;
    expect(await call("GET", `${notes}/%2e%2e`)).toMatchObject(status(400, "BadRequest", problem));
    expect((await call("GET", "/api/v1/namespaces/%2e%2e/notes/a")).json).toMatchObject({
      code: 500,
      message: 'invalid key: "/notes/../a"',
    });
  });

  test("refuses a future revision, and a text that is not a revision", async () => {
    const { call, store } = await withNotes(1);
    const { json, headers } = await call("GET", `${notes}/n1?resourceVersion=999`);
    expect(json).toMatchObject({
      code: 504,
      message: `Timeout: Too large resource version: 999, current: ${store.revision}`,
      details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
    });
    expect(headers["retry-after"]).toBe("1");
    const { json: bad } = await call("GET", `${notes}/n1?resourceVersion=abc`);
    expect(bad).toMatchObject({
      code: 500,
      message: expect.stringContaining('parsing "abc": invalid syntax'),
    });
  });

  test("returns a stale state to reads that allow it while reads are frozen", async () => {
    let stale: number | undefined;
    const world = await withNotes(1, serverWorld(undefined, { staleRevision: () => stale }));
    stale = world.store.revision;
    await world.call("DELETE", `${notes}/n1`);
    expect((await world.call("GET", `${notes}/n1?resourceVersion=0`)).status).toBe(200);
    expect((await world.call("GET", `${notes}/n1`)).status).toBe(404);
    expect(names((await world.call("GET", `${notes}?resourceVersion=0`)).json)).toEqual(["n1"]);
    expect(names((await world.call("GET", notes)).json)).toEqual([]);
  });
});

describe("listing", () => {
  test("returns items without their type, and an empty list if there are none", async () => {
    const { call } = await withNotes(2);
    const { json } = await call("GET", notes);
    expect(json).toMatchObject({ kind: "NoteList", apiVersion: "v1" });
    expect(json.items[0]).not.toHaveProperty("kind");
    expect((await call("GET", "/api/v1/namespaces/other/notes")).json.items).toEqual([]);
    expect(names((await call("GET", "/api/v1/notes")).json)).toEqual(["n1", "n2"]);
  });

  test("returns pages of one state, whatever changes in between", async () => {
    const { call } = await withNotes(5);
    const first = (await call("GET", `${notes}?limit=2`)).json;
    expect(names(first)).toEqual(["n1", "n2"]);
    expect(first.metadata.remainingItemCount).toBe(3);
    await call("DELETE", `${notes}/n3`);
    const second = (await call("GET", `${notes}?limit=2&continue=${first.metadata.continue}`)).json;
    expect(names(second)).toEqual(["n3", "n4"]);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const third = (await call("GET", `${notes}?limit=2&continue=${second.metadata.continue}`)).json;
    expect(names(third)).toEqual(["n5"]);
    expect(third.metadata).not.toHaveProperty("continue");
  });

  test("offers to continue with the current state when that of the first page is compacted", async () => {
    const { call, store } = await withNotes(3);
    const { json } = await call("GET", `${notes}?limit=1`);
    await call("DELETE", `${notes}/n2`);
    store.compact(store.revision);
    const expired = await call("GET", `${notes}?limit=1&continue=${json.metadata.continue}`);
    expect(expired).toMatchObject({
      status: 410,
      json: { reason: "Expired", metadata: { continue: expect.any(String) } },
    });
    const rest = await call("GET", `${notes}?continue=${expired.json.metadata.continue}`);
    expect(names(rest.json)).toEqual(["n3"]);
    const old = "The resourceVersion for the provided list is too old.";
    const exact = await call("GET", `${notes}?resourceVersion=2&resourceVersionMatch=Exact`);
    expect(exact).toMatchObject(status(410, "Expired", old));
  });

  test("of metadata has null for items if there are none; a table has no rows, a list no items", async () => {
    const { call } = serverWorld();
    const as = (kind: string): object => ({
      headers: { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` },
    });
    for (const path of [notes, `${notes}?pretty=true`]) {
      expect((await call("GET", path, as("PartialObjectMetadataList"))).json).toMatchObject({ items: null });
      expect((await call("GET", path, as("Table"))).json).toMatchObject({ rows: [] });
      expect((await call("GET", path)).json).toMatchObject({ items: [] });
    }
  });

  test("selects by labels and fields, and does not count the remaining items", async () => {
    const { call } = await withNotes(4);
    expect(names((await call("GET", `${notes}?labelSelector=n+in+(1,3)`)).json)).toEqual(["n1", "n3"]);
    expect(names((await call("GET", `${notes}?fieldSelector=metadata.name%3Dn2`)).json)).toEqual(["n2"]);
    const { json } = await call("GET", `${notes}?fieldSelector=metadata.name!%3Dn1&limit=1`);
    expect(names(json)).toEqual(["n2"]);
    expect(json.metadata).not.toHaveProperty("remainingItemCount");
  });

  test.each([
    ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    [
      "continue=abc",
      400,
      "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
    ],
    [
      "labelSelector=a%20b",
      400,
      "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ],
    ["fieldSelector=foo", 400, "invalid selector: 'foo'; can't understand 'foo'"],
    [
      "fieldSelector=foo%3D1",
      400,
      '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [
      "resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      "sendInitialEvents=true",
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
    [
      "watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
  ])("refuses %s", async (query, code, message) => {
    const { call } = await withNotes(1);
    expect(await call("GET", `${notes}?${query}`)).toMatchObject({ status: code, json: { message } });
  });
});

describe("writing", () => {
  test("creates, with the user agent as the manager and warnings for unknown fields", async () => {
    const { call } = serverWorld();
    const body = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "a" }, spec: { sise: 1 } };
    const { status: code, headers, json } = await call("POST", gadgets, { body });
    expect(code).toBe(201);
    expect(headers.warning).toBe('299 - "unknown field \\"spec.sise\\""');
    expect(json.spec).not.toHaveProperty("sise");
    const strict = await call("POST", `${gadgets}?fieldValidation=Strict`, { body });
    const message =
      'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "spec.sise"';
    expect(strict).toMatchObject(status(400, "BadRequest", message));
  });

  test.each([
    [
      "",
      "the object provided is unrecognized (must be of type Note): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      '{"kind":5}',
      `the object provided is unrecognized (must be of type Note): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
    ],
    [
      '{"kind":"Pod","apiVersion":"v1"}',
      'Pod in version "v1" cannot be handled as a Note: converting (v1.Pod) to (core.Note): unknown conversion',
    ],
    [
      '{"kind":"Foo","apiVersion":"bar/v1"}',
      'Foo in version "v1" cannot be handled as a Note: no kind "Foo" is registered for version "bar/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ])("refuses to create from %j", async (body, message) => {
    const { call } = serverWorld();
    expect(await call("POST", notes, { body })).toMatchObject(status(400, "BadRequest", message));
  });

  test("refuses bodies that are too large, and types that it does not know", async () => {
    const { call } = await withNotes(1);
    const large = await call("POST", notes, { body: `{"a":"${"x".repeat(3_200_000)}"}` });
    const limit = "Request entity too large: limit is 3145728";
    expect(large).toMatchObject(status(413, "RequestEntityTooLarge", limit));
    const headers = { "content-type": "text/plain" };
    expect((await call("POST", notes, { body: "x", headers })).json.message).toMatch(
      /^the body of the request was in/,
    );
    expect((await call("PATCH", `${notes}/n1`, { body: "{}", headers })).json).toMatchObject({
      code: 415,
      message: "415: Unsupported Media Type",
    });
  });

  test("patches, applies and replaces", async () => {
    const { call } = await withNotes(1);
    const merge = { "content-type": "application/merge-patch+json" };
    const patched = await call("PATCH", `${notes}/n1`, { headers: merge, body: { data: { a: "b" } } });
    expect(patched).toMatchObject({ status: 200, json: { data: { a: "b" } } });
    const apply = { "content-type": "application/apply-patch+yaml" };
    const anonymous = await call("PATCH", `${notes}/n2`, { headers: apply, body: "{}" });
    expect(anonymous.json.message).toMatch(/fieldManager: Required value: is required for apply patch$/);
    const nameless = await call("PUT", `${notes}/n1`, { body: "{}" });
    expect(nameless.json.message).toBe(
      "the name of the object (n1 based on URL) was undeterminable: name must be provided",
    );
  });

  test("takes delete options from the body, else from the query", async () => {
    const { call } = await withNotes(2);
    const tried = await call("DELETE", `${notes}/n1?dryRun=All`);
    expect(tried).toMatchObject({ status: 200, json: { status: "Success", details: { name: "n1" } } });
    const bad = await call("DELETE", `${notes}/n1`, { body: { propagationPolicy: "Foo" } });
    expect(bad).toMatchObject({ status: 422, json: { details: { kind: "DeleteOptions" } } });
    await call("DELETE", `${notes}/n1?dryRun=All`, { body: { kind: "DeleteOptions" } });
    expect((await call("GET", `${notes}/n1`)).status).toBe(404);
    const { json } = await call("DELETE", `${notes}?labelSelector=n%3D2`);
    expect(names(json)).toEqual(["n2"]);
    expect(names((await call("GET", notes)).json)).toEqual([]);
  });

  test("refuses methods that a path does not take", async () => {
    const { call } = await withNotes(1);
    const message = "the server does not allow this method on the requested resource";
    for (const [method, path] of [
      ["PUT", notes],
      ["POST", `${notes}/n1`],
      ["POST", "/api/v1/notes"],
      ["FOO", notes],
    ] as const) {
      expect(await call(method, path, { body: "{}" })).toMatchObject(
        status(405, "MethodNotAllowed", message),
      );
    }
    expect((await call("OPTIONS", gadgets)).json.message).toBe(
      ' is not supported on resources of kind "gadgets.example.com"',
    );
  });
});

describe("access", () => {
  test("refuses wrong credentials and access that is not allowed", async () => {
    const { call } = serverWorld();
    expect(await call("GET", notes, { headers: { authorization: "Bearer wrong" } })).toMatchObject(
      status(401, "Unauthorized", "Unauthorized"),
    );
    const headers = { authorization: "Bearer bob" };
    const forbidden = 'User "bob" cannot list resource "notes" in API group "" in the namespace "shop"';
    expect(await call("GET", notes, { headers })).toMatchObject(
      status(403, "Forbidden", `notes is forbidden: ${forbidden}`),
    );
    const path = 'forbidden: User "bob" cannot get path "/metrics"';
    expect(await call("GET", "/metrics", { headers })).toMatchObject(status(403, "Forbidden", path));
  });

  test("lets a user that may impersonate act as another user", async () => {
    const { call } = serverWorld();
    const headers = { "impersonate-user": "eve" };
    expect((await call("GET", notes, { headers })).json.message).toContain('User "eve" cannot list');
    const both = { authorization: "Bearer bob", "impersonate-user": "eve" };
    expect((await call("GET", notes, { headers: both })).json.message).toContain(
      'User "bob" cannot impersonate-on:user-info:list resource "notes"',
    );
    expect((await call("GET", notes, { headers: { "impersonate-group": "g" } })).status).toBe(400);
  });
});

describe("everything else", () => {
  test("reports that it is healthy", async () => {
    const { call } = serverWorld();
    expect(await call("GET", "/healthz")).toMatchObject({ status: 200, text: "ok" });
    expect((await call("GET", "/readyz?verbose")).text).toMatch(/\[\+\]ping ok[\s\S]*readyz check passed/);
    expect((await call("GET", "/metrics")).status).toBe(200);
  });

  test("responds to an unexpected error with its id", async () => {
    const world = serverWorld(undefined, {
      authorize: () => {
        throw new Error("broken");
      },
    });
    const { headers, json, status: code } = await world.call("GET", notes);
    expect(code).toBe(500);
    expect(json.message).toBe(`Internal error occurred: unexpected error ${headers["audit-id"]}`);
    expect(world.unexpected).toHaveLength(1);
  });
});
