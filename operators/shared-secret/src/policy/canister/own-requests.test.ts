import { expect, it } from "vitest";
import type { PolicyRequest, SecretPolicy } from "../policy.ts";
import { unknownSecret } from "./canister-decisions.ts";
import { OwnRequests } from "./own-requests.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const consumer = { namespace: "shop", kind: "Deployment", name: "web" };
const readOnly: PolicyRequest = { type: "Access", consumer, permission: "ReadOnly" };
const readWrite: PolicyRequest = { type: "Access", consumer, permission: "ReadWrite" };
const share = (rotateSeconds: number): PolicyRequest => ({ type: "Share", rotateSeconds, isUpdate: false });

/** The requests of one secret, and what the canister says about it. */
function start() {
  const own = new OwnRequests();
  let said: SecretPolicy = unknownSecret;
  return {
    make: (request: PolicyRequest) => own.add("shop/db", request),
    /** The canister says something else from now on, and is read. */
    reads: (policy: Partial<SecretPolicy>, nowMs: number) => {
      said = { ...unknownSecret, ...policy };
      return own.compare(() => said, nowMs).map(({ waitMs }) => waitMs);
    },
    denials: (nowMs: number) => {
      const { refusedRotateSeconds = [], consumers } = own.withDenials("shop/db", said, nowMs);
      return [
        ...refusedRotateSeconds,
        ...consumers.filter(({ state }) => state === "Refused").map(({ permission }) => permission),
      ];
    },
  };
}

it("waits twice as long after each denial, up to a day", () => {
  const { make, reads } = start();
  const waits: number[] = [];
  for (let nowMs = 0; waits.length < 12; nowMs += 2 * day - 1) {
    make(share(60));
    reads({ pendingRotateSeconds: 60 }, nowMs);
    waits.push(...reads({}, nowMs));
  }
  expect(waits.slice(0, 9).map((ms) => ms / minute)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280]);
  expect(waits.slice(9)).toEqual([day, day, day]);
});

it("counts a denial once, however often the canister is read", () => {
  const { make, reads, denials } = start();
  make(readOnly);
  expect(reads({}, 0)).toEqual([5 * minute]);
  expect(reads({}, minute)).toEqual([]);
  expect(denials(5 * minute - 1)).toEqual(["ReadOnly"]);
  expect(denials(5 * minute)).toEqual([]);
});

it("takes a request that is pending or approved for no denial", () => {
  const { make, reads, denials } = start();
  make(readOnly);
  expect(reads({ consumers: [{ consumer, permission: "ReadOnly", state: "Pending" }] }, 0)).toEqual([]);
  expect(denials(0)).toEqual([]);
  expect(reads({ consumers: [{ consumer, permission: "ReadOnly", state: "Approved" }] }, 0)).toEqual([]);
  expect(reads({}, 0)).toEqual([]);
  expect(denials(0)).toEqual([]);
});

it("knows each permission of a consumer apart", () => {
  const { make, reads, denials } = start();
  make(readOnly);
  make(readWrite);
  reads({ consumers: [{ consumer, permission: "ReadOnly", state: "Pending" }] }, 0);
  expect(denials(0)).toEqual(["ReadWrite"]);
});

it("ends a denial when the request appears again, such as by another replica", () => {
  const { make, reads, denials } = start();
  make(share(60));
  reads({}, 0);
  reads({ pendingRotateSeconds: 60 }, minute);
  expect(denials(minute)).toEqual([]);
  expect(reads({}, 2 * minute)).toEqual([10 * minute]);
});

it("begins anew when another rotation period is requested", () => {
  const { make, reads, denials } = start();
  make(share(60));
  reads({}, 0);
  make(share(60));
  expect(reads({}, hour)).toEqual([10 * minute]);
  make(share(120));
  expect(denials(hour)).toEqual([]);
  expect(reads({}, hour)).toEqual([5 * minute]);
});

it("forgets a denial a day after its wait if the request was not made again", () => {
  const { make, reads } = start();
  make(share(60));
  reads({}, 0);
  reads({}, 5 * minute + day);
  make(share(60));
  expect(reads({}, 2 * day)).toEqual([5 * minute]);
});
