import type { GenericObject } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admissionWorld } from "../../test/support/admission-world.ts";
import { ApiError } from "../status/api-error.ts";

type Sort = "mutating" | "validating";
type Respond = (uid: string) => { readonly status: number; readonly body: string };
const sorts: readonly Sort[] = ["mutating", "validating"];

const { put, create, respond, calls } = world();

/** A mutating and a validating webhook for all ConfigMaps; both allow everything unless a test says otherwise. */
function world() {
  const responses = new Map<Sort, Respond>();
  const calls: Sort[] = [];
  const made = admissionWorld(async ({ url, body }) => {
    const sort = sorts.find((each) => url.includes(each)) ?? "validating";
    calls.push(sort);
    const { uid } = JSON.parse(body).request;
    return { contentType: "application/json", ...(responses.get(sort) ?? allow)(uid) };
  });
  return {
    ...made,
    calls,
    respond(sort: Sort, next: Respond) {
      responses.clear();
      responses.set(sort, next);
    },
  };
}

function allow(uid: string) {
  return reviewed({ uid, allowed: true });
}

for (const sort of sorts) {
  const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["configmaps"] }];
  const webhook = {
    name: `${sort}.example.com`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig: { url: `https://hooks.test/${sort}` },
    rules,
  };
  put(`${sort}webhookconfigurations`, { metadata: { name: sort }, webhooks: [webhook] });
}

/**
 * Creates a ConfigMap and returns the object or the refusal; anything else fails the test. The mutating webhook is
 * called once, and the validating one once if the mutating one did not end the request.
 */
async function outcome(sort: Sort): Promise<GenericObject | ApiError> {
  calls.length = 0;
  const result = await createConfigMap();
  if (sort === "mutating" && result instanceof ApiError) expect(calls[0]).toBe("mutating");
  else expect(calls).toEqual(["mutating", "validating"]);
  return result;
}

async function createConfigMap(): Promise<GenericObject | ApiError> {
  try {
    const metadata = { name: "a", namespace: "shop" };
    return await create("configmaps", { metadata, data: { list: "x" } }, { dryRun: true });
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const pointer = fc
  .array(
    fc.constantFrom("metadata", "data", "labels", "name", "list", "0", "-", "-1", "__proto__", "a~1b", ""),
    { maxLength: 4 },
  )
  .map((keys) => keys.map((key) => `/${key}`).join(""));
const operation = fc.record(
  {
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "zap"),
    path: pointer,
    from: pointer,
    value: fc.jsonValue(),
  },
  { requiredKeys: ["op", "path"] },
);

describe.each(sorts)("a request with a %s webhook", (sort) => {
  it("succeeds if the response allows it", async () => {
    respond(sort, allow);
    expect(await outcome(sort)).toMatchObject({ metadata: { name: "a" }, data: { list: "x" } });
  });

  it("is refused with a Status that names the webhook if the response is any text", async () => {
    const text = fc.oneof(fc.string(), fc.json());
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 100, max: 599 }), async (body, status) => {
        respond(sort, () => ({ status, body }));
        const result = await outcome(sort);
        expect(result).toBeInstanceOf(ApiError);
        expect(String(result)).toContain(`${sort}.example.com`);
      }),
    );
  });

  it("succeeds only if a response with the fields of a review allows it", async () => {
    const fields = fc.record(
      {
        allowed: fc.oneof(fc.boolean(), fc.jsonValue()),
        status: fc.oneof(
          fc.record({
            code: fc.jsonValue(),
            message: fc.jsonValue(),
            reason: fc.jsonValue(),
            details: fc.jsonValue(),
          }),
          fc.jsonValue(),
        ),
        warnings: fc.jsonValue(),
        patch: fc.oneof(fc.base64String(), fc.jsonValue()),
        patchType: fc.oneof(fc.constant("JSONPatch"), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fields, async (response) => {
        respond(sort, (uid) => reviewed({ uid, ...response }));
        const result = await outcome(sort);
        expect(result instanceof ApiError || response.allowed === true).toBe(true);
      }),
    );
  });
});

describe("the patch of a mutating webhook", () => {
  const patchWith = (operations: readonly unknown[]): void => {
    const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
    respond("mutating", (uid) => reviewed({ uid, allowed: true, patchType: "JSONPatch", patch }));
  };

  it("changes the object", async () => {
    patchWith([{ op: "add", path: "/data/more", value: "y" }]);
    expect(await outcome("mutating")).toMatchObject({ data: { list: "x", more: "y" } });
  });

  it("results in an object in the same namespace or a Status, whatever its operations are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(operation, fc.jsonValue()), { maxLength: 4 }),
        async (operations) => {
          patchWith(operations);
          const result = await outcome("mutating");
          if (!(result instanceof ApiError)) expect(result.metadata.namespace).toBe("shop");
        },
      ),
    );
  });
});

function reviewed(response: object): { readonly status: number; readonly body: string } {
  const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
  return { status: 200, body };
}
