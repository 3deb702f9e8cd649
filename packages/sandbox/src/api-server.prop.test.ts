import fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, type ServerWorld, serverWorld } from "../test/support/server-world.ts";

const segment = fc.oneof(
  fc.constantFrom(
    "api",
    "apis",
    "v1",
    "namespaces",
    "shop",
    "notes",
    "gadgets",
    "pods",
    "example.com",
    "a",
    "status",
    "watch",
    "scale",
    "eviction",
    "binding",
    "..",
    "%2e%2e",
    "%",
    "",
  ),
  fc.string({ maxLength: 5 }).map(encodeURIComponent),
);
const known = fc.constantFrom(
  "/api/v1/namespaces/shop/notes",
  "/api/v1/namespaces/shop/notes/a",
  "/api/v1/notes",
  "/apis/example.com/v1/namespaces/shop/gadgets",
  "/apis/example.com/v1/namespaces/shop/gadgets/a",
  "/apis/example.com/v1/namespaces/shop/gadgets/a/status",
  "/api/v1/namespaces/shop/pods/p/eviction",
  "/api/v1/namespaces/shop/pods/p/binding",
);
const path = fc.oneof(
  known,
  fc.array(segment, { maxLength: 8 }).map((parts) => `/${parts.join("/")}`),
);
const value = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "1",
    "-1",
    "true",
    "All",
    "Strict",
    "abc",
    "99999999999999999999",
    "a in (b",
    "a=b",
  ),
  fc.string({ maxLength: 8 }),
);
const parameter = fc.tuple(
  fc.constantFrom(
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "labelSelector",
    "fieldSelector",
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
    "pretty",
    "gracePeriodSeconds",
    "propagationPolicy",
    "includeObject",
  ),
  value,
);
const headers = fc.record(
  {
    accept: fc.oneof(
      fc.constantFrom(
        "application/json",
        "application/yaml",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "*/*",
      ),
      fc.string({ maxLength: 12 }),
    ),
    "content-type": fc.constantFrom(
      "application/json",
      "application/yaml",
      "application/merge-patch+json",
      "application/json-patch+json",
      "application/strategic-merge-patch+json",
      "application/apply-patch+yaml",
      "text/plain",
    ),
    "user-agent": fc.string({ maxLength: 8 }),
    "impersonate-user": fc.string({ maxLength: 8 }),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '{"metadata":{"name":"a"}}',
    '{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"size":"x"}}',
    '[{"op":"remove","path":"/metadata"}]',
    '{"metadata":null}',
    '{"metadata":{"name":"p"},"target":{"name":"n"}}',
  ),
);

async function prepared(): Promise<ServerWorld> {
  const world = serverWorld();
  await world.call("POST", "/api/v1/namespaces/shop/notes", { body: { metadata: { name: "a" } } });
  await world.call("POST", "/api/v1/namespaces/shop/pods", { body: { metadata: { name: "p" } } });
  return world;
}

test("every request gets a response, a refusal is a Status, and no error is unexpected", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "FOO"),
      path,
      fc.array(parameter, { maxLength: 4 }),
      headers,
      body,
      async (method, where, parameters, sent, text) => {
        const world = await prepared();
        const query = new URLSearchParams(parameters).toString();
        const response = await world.call(method, query === "" ? where : `${where}?${query}`, {
          headers: sent,
          body: text,
        });
        expect(world.unexpected).toEqual([]);
        if (response.status < 400 || response.json === undefined) return;
        const status: Json = response.json;
        expect(status).toMatchObject({ kind: "Status", status: "Failure", code: response.status });
        expect(status.message).toBeTypeOf("string");
      },
    ),
    { numRuns: 300 },
  );
});
