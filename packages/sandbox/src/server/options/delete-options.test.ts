import { expect, it } from "vitest";
import { note } from "../../../test/support/writer-world.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { deleteOptions } from "./delete-options.ts";

function request(query: string, body = ""): ApiRequest {
  return {
    verb: "delete",
    resource: note,
    subresource: undefined,
    namespace: "shop",
    name: "a",
    query: new URLSearchParams(query),
    headers: {},
    user: { username: "alice", groups: [] },
    body: async () => Buffer.from(body),
    warn() {},
    signal: new AbortController().signal,
  };
}

it("reads the options from the body, and from the query if there is no body", async () => {
  const query = "gracePeriodSeconds=5&propagationPolicy=Orphan";
  const ofQuery = { gracePeriodSeconds: 5, propagationPolicy: "Orphan", dryRun: false };
  expect(await deleteOptions(request(query))).toMatchObject(ofQuery);
  const body = '{"gracePeriodSeconds":7,"dryRun":["All"]}';
  expect(await deleteOptions(request(query, body))).toMatchObject({ gracePeriodSeconds: 7, dryRun: true });
});

it.each([
  [
    "propagationPolicy=Orphan&orphanDependents=true",
    'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  ],
  [
    "propagationPolicy=Later",
    'propagationPolicy: Unsupported value: "Later": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  ["dryRun=Some", 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
])("refuses %s", async (query, problem) => {
  await expect(deleteOptions(request(query))).rejects.toMatchObject({
    status: { code: 422, message: `DeleteOptions.meta.k8s.io "" is invalid: ${problem}` },
  });
});
