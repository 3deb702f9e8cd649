import { expect, it } from "vitest";
import type { ConsumerPolicy, PolicyRequest, SecretPolicy } from "../policy.ts";
import { PolicyError } from "../policy.ts";
import { callFor } from "./canister-call.ts";
import { unknownSecret } from "./canister-decisions.ts";

const secret = { namespace: "shop", name: "db" };
const consumer = { namespace: "shop", kind: "Deployment", name: "web" };
const share = (rotateSeconds: number): PolicyRequest => ({ type: "Share", rotateSeconds, isUpdate: false });
const access: PolicyRequest = { type: "Access", consumer, permission: "ReadOnly" };

function policy(partial: Partial<SecretPolicy>): SecretPolicy {
  return { ...unknownSecret, ...partial };
}

function known(permission: ConsumerPolicy["permission"], state: ConsumerPolicy["state"]): SecretPolicy {
  return policy({ approval: { rotateSeconds: 60 }, consumers: [{ consumer, permission, state }] });
}

it.each([
  ["adds a secret that the canister does not know", unknownSecret, ["add_secret", 60]],
  ["updates one with another period", policy({ approval: { rotateSeconds: 30 } }), ["update_secret", 60]],
  ["adds one with another requested period", policy({ pendingRotateSeconds: 30 }), ["add_secret", 60]],
  ["leaves a request as it is", policy({ pendingRotateSeconds: 60 }), undefined],
  ["leaves an approval as it is", policy({ approval: { rotateSeconds: 60 } }), undefined],
  ["does not ask for a period that was denied", policy({ refusedRotateSeconds: [60] }), undefined],
] as const)("%s", (_, current, expected) => {
  const call = callFor(secret, current, share(60));
  expect(call && [call.method, call.args]).toEqual(expected && [expected[0], ["shop/db", expected[1]]]);
});

it.each([
  ["adds a consumer that the canister does not know", policy({}), "add_consumer"],
  ["adds one that waits for another permission", known("ReadWrite", "Pending"), "add_consumer"],
  ["updates one that has another permission", known("ReadWrite", "Approved"), "update_consumer"],
  ["leaves the request of a consumer as it is", known("ReadOnly", "Pending"), undefined],
  ["leaves the approval of a consumer as it is", known("ReadOnly", "Approved"), undefined],
  ["does not ask for an access that was denied", known("ReadOnly", "Refused"), undefined],
] as const)("%s", (_, current, method) => {
  expect(callFor(secret, current, access)).toEqual(
    method && { method, args: ["shop/Deployment/web", "shop/db", 2] },
  );
});

it("refuses a period that the canister cannot hold", () => {
  expect(callFor(secret, unknownSecret, share(4_294_967_295))?.args).toEqual(["shop/db", 4_294_967_295]);
  expect(() => callFor(secret, unknownSecret, share(4_294_967_296))).toThrow(PolicyError);
});
