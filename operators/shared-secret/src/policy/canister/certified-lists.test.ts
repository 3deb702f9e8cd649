import { expect, it } from "vitest";
import { type CertifiedLists, digestOf } from "./certified-lists.ts";

const secret = {
  ...{ id: "1", kube_id: "shop/db", ttl: 3600, pending_type: 3, creator: "2vxsx-fae" },
  ...{ create_timestamp: "1767225600000000000", update_timestamp: "1767225600000000000" },
};
const consumer = {
  ...{ id: "2", kube_id: "shop/Deployment/web", secret_kube_id: "shop/db", permission_type: 2 },
  ...{ pending_type: 3, creator: 'a "b" \\ ü\n', create_timestamp: "x", update_timestamp: "y" },
};
const lists: CertifiedLists = {
  secrets: [secret],
  pending_secret_reqs: [{ ...secret, id: "3", ttl: 60, pending_type: 2 }],
  consumers: [consumer],
  pending_consumer_reqs: [],
};

/** Computed with Python: json.dumps(list, sort_keys=True, separators=(",", ":"), ensure_ascii=False) and hashlib. */
const digest = "e138aa43fae3d80ef108c237249b647244f19b9c5871815cfbf18b9056f94916";

it("has the digest of the canister", () => {
  expect(digestOf(lists).toString("hex")).toBe(digest);
});

it("depends on every list", () => {
  const changed: readonly CertifiedLists[] = [
    { ...lists, secrets: [] },
    { ...lists, pending_secret_reqs: [] },
    { ...lists, consumers: [] },
    { ...lists, pending_consumer_reqs: [consumer] },
    { ...lists, secrets: lists.pending_secret_reqs, pending_secret_reqs: lists.secrets },
  ];
  expect(new Set(changed.map((each) => digestOf(each).toString("hex"))).add(digest).size).toBe(6);
});
