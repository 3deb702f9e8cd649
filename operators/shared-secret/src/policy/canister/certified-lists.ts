import { createHash } from "node:crypto";
import { z } from "keelson";

const secret = z.object({
  id: z.string(),
  /** `namespace/name` of the SharedSecret. */
  kube_id: z.string(),
  ttl: z.int(),
  pending_type: z.int(),
  creator: z.string(),
  create_timestamp: z.string(),
  update_timestamp: z.string(),
});

const consumer = z.object({
  id: z.string(),
  /** As `formatConsumer` writes it. */
  kube_id: z.string(),
  secret_kube_id: z.string(),
  permission_type: z.int(),
  pending_type: z.int(),
  creator: z.string(),
  create_timestamp: z.string(),
  update_timestamp: z.string(),
});

/** The lists of a canister that its certificate is about, with the names of its interface. */
export const certifiedLists = z.object({
  secrets: z.array(secret),
  pending_secret_reqs: z.array(secret),
  consumers: z.array(consumer),
  pending_consumer_reqs: z.array(consumer),
});

export type CertifiedLists = z.output<typeof certifiedLists>;

/** What the canister certifies: the digest of the digests of its lists, each as canonical JSON (RFC 8785). */
export function digestOf(lists: CertifiedLists): Buffer {
  const { consumers, pending_consumer_reqs, pending_secret_reqs, secrets } = lists;
  const digests = [consumers, pending_consumer_reqs, pending_secret_reqs, secrets].map((list) =>
    sha256(canonicalJson(list)).toString("hex"),
  );
  return sha256(digests.join(""));
}

function canonicalJson(list: readonly object[]): string {
  return JSON.stringify(list.map((item) => Object.fromEntries(Object.entries(item).sort(byName))));
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
