import { expect, it } from "vitest";
import { decisionsOf, secretIdOf } from "./canister-decisions.ts";
import type { CertifiedLists } from "./certified-lists.ts";

type SecretEntry = CertifiedLists["secrets"][number];
type ConsumerEntry = CertifiedLists["consumers"][number];

const times = { create_timestamp: "1767225600000000000", update_timestamp: "1767225600000000000" };

function secret(entry: Partial<SecretEntry>): SecretEntry {
  return { ...times, id: "1", kube_id: "shop/db", ttl: 60, pending_type: 3, creator: "me", ...entry };
}

function consumer(entry: Partial<ConsumerEntry>): ConsumerEntry {
  const ids = { id: "2", kube_id: "shop/web-0", secret_kube_id: "shop/db" };
  return { ...times, ...ids, permission_type: 2, pending_type: 3, creator: "me", ...entry };
}

function decide(lists: Partial<CertifiedLists>) {
  const none = { secrets: [], pending_secret_reqs: [], consumers: [], pending_consumer_reqs: [] };
  const { secrets, unreadable } = decisionsOf({ ...none, ...lists });
  return { unreadable, policy: secrets.get(secretIdOf({ namespace: "shop", name: "db" })) };
}

it("takes the lists for approvals and requests", () => {
  const { policy } = decide({
    secrets: [secret({ ttl: 60 })],
    pending_secret_reqs: [secret({ ttl: 120, pending_type: 2 })],
    consumers: [consumer({ kube_id: "shop/Deployment/web", permission_type: 1 })],
    pending_consumer_reqs: [
      consumer({ pending_type: 1 }),
      consumer({ kube_id: "shop?app=web", pending_type: 1 }),
    ],
  });
  expect(policy).toEqual({
    approval: { rotateSeconds: 60 },
    pendingRotateSeconds: 120,
    consumers: [
      {
        consumer: { namespace: "shop", kind: "Pod", name: "web-0" },
        permission: "ReadOnly",
        state: "Pending",
      },
      {
        consumer: { namespace: "shop", selector: { matchLabels: { app: "web" } } },
        permission: "ReadOnly",
        state: "Pending",
      },
      {
        consumer: { namespace: "shop", kind: "Deployment", name: "web" },
        permission: "ReadWrite",
        state: "Approved",
      },
    ],
  });
});

it("does not take an entry for approved that is marked as pending", () => {
  const { policy } = decide({
    secrets: [secret({ pending_type: 1 })],
    consumers: [consumer({ pending_type: 1 })],
    pending_secret_reqs: [secret({ pending_type: 1 })],
  });
  expect(policy).toMatchObject({ approval: undefined, consumers: [] });
});

it("has one entry for a consumer and permission, and an approval rather than a request", () => {
  const { policy } = decide({
    consumers: [consumer({}), consumer({ kube_id: "shop/Pod/web-0" })],
    pending_consumer_reqs: [consumer({ pending_type: 1 }), consumer({ pending_type: 2, permission_type: 1 })],
  });
  expect(policy?.consumers.map(({ permission, state }) => [permission, state])).toEqual([
    ["ReadOnly", "Approved"],
    ["ReadWrite", "Pending"],
  ]);
});

it("takes the last of several requests for a rotation period", () => {
  const { policy } = decide({
    pending_secret_reqs: [60, 120].map((ttl) => secret({ ttl, pending_type: 1 })),
  });
  expect(policy?.pendingRotateSeconds).toBe(120);
});

it("leaves consumers out that cannot be understood", () => {
  const { policy, unreadable } = decide({
    consumers: [
      consumer({ kube_id: "web" }),
      consumer({ kube_id: "shop/web", permission_type: 7 }),
      consumer({ kube_id: "shop?=" }),
      consumer({}),
    ],
  });
  expect(policy?.consumers).toHaveLength(1);
  expect(unreadable).toEqual(["web", "shop/web", "shop?="]);
});
