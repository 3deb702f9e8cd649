import { createHash } from "node:crypto";
import type { Clock } from "keelson";

/** Of a secret or a consumer: what waits for a decision, or that nothing does. */
const pendingType = { create: 1, update: 2, none: 3 } as const;

/** As the interface of the canister numbers permissions. */
const permissionType = { ReadWrite: 1, ReadOnly: 2 } as const;

export interface VaultSecret {
  readonly id: string;
  readonly kube_id: string;
  readonly ttl: number;
  readonly pending_type: number;
  readonly creator: string;
  readonly create_timestamp: string;
  readonly update_timestamp: string;
}

export interface VaultConsumer {
  readonly id: string;
  readonly kube_id: string;
  readonly secret_kube_id: string;
  readonly permission_type: number;
  readonly pending_type: number;
  readonly creator: string;
  readonly create_timestamp: string;
  readonly update_timestamp: string;
}

/** The fields of both in the order of canonical JSON. */
const fieldOrder = [
  ...["create_timestamp", "creator", "id", "kube_id", "pending_type"],
  ...["permission_type", "secret_kube_id", "ttl", "update_timestamp"],
];

export interface VaultLists {
  readonly consumers: readonly VaultConsumer[];
  readonly pending_consumer_reqs: readonly VaultConsumer[];
  readonly pending_secret_reqs: readonly VaultSecret[];
  readonly secrets: readonly VaultSecret[];
}

/** What `variant { Ok; Err : text }` is for the Candid encoder. */
export type Outcome = { readonly Ok: null } | { readonly Err: string };

/** The canister traps: its caller gets no result but a rejection. */
export class TrapError extends Error {}

const operator = "the test";

/**
 * The canister that decides who may share which secret. Methods with ids and callers are those of its interface; those
 * with the names of secrets and consumers are for tests, which act as a registered user.
 */
export class VaultCanister {
  readonly users: string[] = [];
  /** Set to have all calls of the operator refused. */
  refusal: string | undefined;
  /** Set to have all update calls end without a result. */
  trap: string | undefined;
  readonly #clock: Clock;
  #lists: VaultLists = { consumers: [], pending_consumer_reqs: [], pending_secret_reqs: [], secrets: [] };
  #ids = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lists(): VaultLists {
    return this.#lists;
  }

  /** 32 bytes. */
  get certifiedData(): Buffer {
    const { consumers, pending_consumer_reqs, pending_secret_reqs, secrets } = this.#lists;
    const hash = createHash("sha256");
    for (const list of [consumers, pending_consumer_reqs, pending_secret_reqs, secrets]) {
      hash.update(createHash("sha256").update(JSON.stringify(list, fieldOrder)).digest("hex"));
    }
    return hash.digest();
  }

  /** Requests to share a secret, as the operator does. */
  addSecret(kubeId: string, ttl: number, caller: string = operator): Outcome {
    if (this.refusal !== undefined) return { Err: this.refusal };
    if (this.#secret(kubeId) !== undefined)
      return { Err: "use update_secret fn because secret already exists" };
    this.#pendSecret({ ...this.#entry(caller), kube_id: kubeId, ttl, pending_type: pendingType.create });
    return { Ok: null };
  }

  /** Requests another rotation period. */
  updateSecret(kubeId: string, ttl: number): Outcome {
    if (this.refusal !== undefined) return { Err: this.refusal };
    const secret = this.#secret(kubeId);
    if (secret === undefined) return { Err: "secret not found" };
    const { id, creator } = secret;
    this.#pendSecret({
      ...this.#entry(creator, id),
      kube_id: kubeId,
      ttl,
      pending_type: pendingType.update,
    });
    return { Ok: null };
  }

  /** Requests access for a consumer, as the operator does. */
  addConsumer(
    kubeId: string,
    secretKubeId: string,
    permission: number | keyof typeof permissionType,
    caller: string = operator,
  ): Outcome {
    if (this.refusal !== undefined) return { Err: this.refusal };
    if (this.#secret(secretKubeId) === undefined) return { Err: "create secret first" };
    if (this.#consumer(kubeId, secretKubeId) !== undefined)
      return { Err: "consumer/secret already exists, use update_consumer fn" };
    const named = { kube_id: kubeId, secret_kube_id: secretKubeId, pending_type: pendingType.create };
    this.#pendConsumer({ ...this.#entry(caller), ...named, permission_type: numberOf(permission) });
    return { Ok: null };
  }

  /** Requests another permission. */
  updateConsumer(
    kubeId: string,
    secretKubeId: string,
    permission: number | keyof typeof permissionType,
  ): Outcome {
    if (this.refusal !== undefined) return { Err: this.refusal };
    const consumer = this.#consumer(kubeId, secretKubeId);
    if (consumer === undefined) return { Err: "consumer not found" };
    const { id, creator } = consumer;
    const named = { kube_id: kubeId, secret_kube_id: secretKubeId, pending_type: pendingType.update };
    this.#pendConsumer({ ...this.#entry(creator, id), ...named, permission_type: numberOf(permission) });
    return { Ok: null };
  }

  /** Approves the first request for a secret. */
  approveSecret(kubeId: string): void {
    this.approveSecretById(required(this.#lists.pending_secret_reqs.find(named(kubeId)), kubeId).id);
  }

  /** Approves the first request of a consumer. */
  approveConsumer(kubeId: string, secretKubeId: string): void {
    const isMeant = consumerOf(kubeId, secretKubeId);
    this.approveConsumerById(required(this.#lists.pending_consumer_reqs.find(isMeant), kubeId).id);
  }

  /** Requests and approves at once. */
  shareSecret(kubeId: string, ttl: number): void {
    this.addSecret(kubeId, ttl);
    this.approveSecret(kubeId);
  }

  /** Requests and approves at once. */
  allowConsumer(kubeId: string, secretKubeId: string, permission: keyof typeof permissionType): void {
    this.addConsumer(kubeId, secretKubeId, permission);
    this.approveConsumer(kubeId, secretKubeId);
  }

  revokeSecret(kubeId: string): void {
    this.revokeById("secrets", required(this.#secret(kubeId), kubeId).id);
  }

  revokeConsumer(kubeId: string, secretKubeId: string): void {
    this.revokeById("consumers", required(this.#consumer(kubeId, secretKubeId), kubeId).id);
  }

  /** Denies all requests of a consumer. */
  denyConsumer(kubeId: string, secretKubeId: string): void {
    const isMeant = consumerOf(kubeId, secretKubeId);
    const { pending_consumer_reqs } = this.#lists;
    this.#change({ pending_consumer_reqs: pending_consumer_reqs.filter((each) => !isMeant(each)) });
  }

  /** Denies all requests for a secret. */
  denySecret(kubeId: string): void {
    const isMeant = named(kubeId);
    const { pending_secret_reqs } = this.#lists;
    this.#change({ pending_secret_reqs: pending_secret_reqs.filter((each) => !isMeant(each)) });
  }

  approveSecretById(id: string): Outcome {
    const { secrets, pending_secret_reqs } = this.#lists;
    const request = pending_secret_reqs.find((each) => each.id === id);
    if (request === undefined) return { Err: "secret not found" };
    const isMeant = named(request.kube_id);
    this.#change({
      secrets: [...secrets.filter((each) => !isMeant(each)), { ...request, pending_type: pendingType.none }],
      pending_secret_reqs: pending_secret_reqs.filter((each) => !isMeant(each)),
    });
    return { Ok: null };
  }

  approveConsumerById(id: string): Outcome {
    const { consumers, pending_consumer_reqs } = this.#lists;
    const request = pending_consumer_reqs.find((each) => each.id === id);
    if (request === undefined) return { Err: "consumer not found" };
    const isMeant = consumerOf(request.kube_id, request.secret_kube_id);
    this.#change({
      consumers: [
        ...consumers.filter((each) => !isMeant(each)),
        { ...request, pending_type: pendingType.none },
      ],
      pending_consumer_reqs: pending_consumer_reqs.filter((each) => !isMeant(each)),
    });
    return { Ok: null };
  }

  /** Traps if there is no such entry, as the canister does. */
  revokeById(list: keyof VaultLists, id: string): Outcome {
    const entries = this.#lists[list];
    if (!entries.some((each) => each.id === id)) throw new TrapError(`${list}: not found`);
    this.#change({ [list]: entries.filter((each) => each.id !== id) });
    return { Ok: null };
  }

  addUser(id: string): Outcome {
    this.users.push(id);
    return { Ok: null };
  }

  removeUser(id: string): Outcome {
    this.users.splice(0, this.users.length, ...this.users.filter((each) => each !== id));
    return { Ok: null };
  }

  #secret(kubeId: string): VaultSecret | undefined {
    return this.#lists.secrets.find(named(kubeId));
  }

  #consumer(kubeId: string, secretKubeId: string): VaultConsumer | undefined {
    return this.#lists.consumers.find(consumerOf(kubeId, secretKubeId));
  }

  #pendSecret(request: VaultSecret): void {
    this.#change({ pending_secret_reqs: [...this.#lists.pending_secret_reqs, request] });
  }

  #pendConsumer(request: VaultConsumer): void {
    this.#change({ pending_consumer_reqs: [...this.#lists.pending_consumer_reqs, request] });
  }

  #change(lists: Partial<VaultLists>): void {
    this.#lists = { ...this.#lists, ...lists };
  }

  /** Times are nanoseconds, and an id is the time of its creation. */
  #entry(creator: string, id?: string) {
    this.#ids += 1n;
    const time = String(BigInt(this.#clock.now()) * 1_000_000n + this.#ids);
    return { id: id ?? time, creator, create_timestamp: time, update_timestamp: time };
  }
}

function numberOf(permission: number | keyof typeof permissionType): number {
  return typeof permission === "number" ? permission : permissionType[permission];
}

function named(kubeId: string): (entry: VaultSecret) => boolean {
  return (entry) => entry.kube_id === kubeId;
}

function consumerOf(kubeId: string, secretKubeId: string): (entry: VaultConsumer) => boolean {
  return (entry) => entry.kube_id === kubeId && entry.secret_kube_id === secretKubeId;
}

function required<Entry>(entry: Entry | undefined, kubeId: string): Entry {
  if (entry === undefined) throw new Error(`the canister has no ${kubeId} there`);
  return entry;
}
