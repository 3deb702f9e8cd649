import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admissionWorld } from "../../test/support/admission-world.ts";
import { ApiError } from "../status/api-error.ts";

const { put, create, answerWith } = world();

/** A webhook for all ConfigMaps that answers what the test says. */
function world() {
  let answer: (uid: string) => { readonly status: number; readonly body: string };
  const made = admissionWorld(async ({ body }) => answer(JSON.parse(body).request.uid));
  return {
    ...made,
    answerWith(next: typeof answer) {
      answer = next;
    },
  };
}

for (const kind of ["mutating", "validating"]) {
  const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["configmaps"] }];
  const clientConfig = { url: "https://hooks.test" };
  const webhook = {
    name: "hook.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig,
    rules,
  };
  put(`${kind}webhookconfigurations`, { metadata: { name: kind }, webhooks: [webhook] });
}

/** Creates a ConfigMap; whatever the webhook answers, the outcome is an object or a Status. */
async function outcome(): Promise<void> {
  try {
    const metadata = { name: "a", namespace: "shop" };
    await create("configmaps", { metadata, data: { list: "x" } }, { dryRun: true });
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
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

describe("whatever a webhook sends", () => {
  it("ends in an object or a Status, be it any text", async () => {
    const text = fc.oneof(fc.string(), fc.json());
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 100, max: 599 }), async (body, status) => {
        answerWith(() => ({ status, body }));
        await outcome();
      }),
    );
  });

  it("ends so if it looks like a review", async () => {
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
        answerWith((uid) => reviewed({ uid, ...response }));
        await outcome();
      }),
    );
  });

  it("ends so with any patch", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(operation, fc.jsonValue()), { maxLength: 4 }),
        async (operations) => {
          const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
          answerWith((uid) => reviewed({ uid, allowed: true, patchType: "JSONPatch", patch }));
          await outcome();
        },
      ),
    );
  });
});

function reviewed(response: object): { readonly status: number; readonly body: string } {
  const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
  return { status: 200, body };
}
