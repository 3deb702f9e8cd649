import { IDL } from "@icp-sdk/core/candid";
import { Principal } from "@icp-sdk/core/principal";
import { z } from "keelson";
import { TrapError, type VaultCanister, type VaultLists } from "./vault-canister.ts";

/** A call of a method of the canister. */
export interface MethodCall {
  readonly method: string;
  /** A Candid message. */
  readonly arg: Uint8Array;
  /** The principal of the caller. */
  readonly sender: string;
}

const secret = IDL.Record({
  id: IDL.Text,
  ttl: IDL.Nat32,
  creator: IDL.Text,
  pending_type: IDL.Nat8,
  create_timestamp: IDL.Text,
  update_timestamp: IDL.Text,
  kube_id: IDL.Text,
});

const consumer = IDL.Record({
  id: IDL.Text,
  creator: IDL.Text,
  pending_type: IDL.Nat8,
  create_timestamp: IDL.Text,
  secret_kube_id: IDL.Text,
  update_timestamp: IDL.Text,
  permission_type: IDL.Nat8,
  kube_id: IDL.Text,
});

const certifiedStatus = IDL.Record({
  certificate: IDL.Opt(IDL.Vec(IDL.Nat8)),
  data: IDL.Text,
  pending_secret_reqs: IDL.Vec(secret),
  secrets: IDL.Vec(secret),
  consumers: IDL.Vec(consumer),
  pending_consumer_reqs: IDL.Vec(consumer),
});

/** The result of `get_certified_status`, as a Candid message. */
export function encodeStatus(lists: VaultLists, certificate: Uint8Array | undefined): Uint8Array {
  const data = JSON.stringify(lists);
  return IDL.encode([certifiedStatus], [{ ...lists, data, certificate: certificate ? [certificate] : [] }]);
}

const outcome = IDL.Variant({ Ok: IDL.Null, Err: IDL.Text });

interface Method {
  readonly types: readonly IDL.Type[];
  /** Only registered users may call it. */
  readonly isGuarded?: boolean;
  readonly result?: IDL.Type;
  run(canister: VaultCanister, args: unknown, sender: string): unknown;
}

const oneText = z.tuple([z.string()]);
const secretArgs = z.tuple([z.string(), z.number()]);
const consumerArgs = z.tuple([z.string(), z.string(), z.number()]);
const oneUser = z.tuple([z.custom<Principal>(Principal.isPrincipal)]);

function byId(run: (canister: VaultCanister, id: string) => unknown): Method {
  return {
    types: [IDL.Text],
    isGuarded: true,
    run: (canister, args) => run(canister, oneText.parse(args)[0]),
  };
}

function byUser(run: (canister: VaultCanister, user: string) => unknown): Method {
  return {
    types: [IDL.Principal],
    isGuarded: true,
    run: (canister, args) => run(canister, oneUser.parse(args)[0].toText()),
  };
}

const methods: Readonly<Record<string, Method>> = {
  add_secret: {
    types: [IDL.Text, IDL.Nat32],
    run: (canister, args, sender) => canister.addSecret(...secretArgs.parse(args), sender),
  },
  update_secret: {
    types: [IDL.Text, IDL.Nat32],
    run: (canister, args) => canister.updateSecret(...secretArgs.parse(args)),
  },
  add_consumer: {
    types: [IDL.Text, IDL.Text, IDL.Nat8],
    run: (canister, args, sender) => canister.addConsumer(...consumerArgs.parse(args), sender),
  },
  update_consumer: {
    types: [IDL.Text, IDL.Text, IDL.Nat8],
    run: (canister, args) => canister.updateConsumer(...consumerArgs.parse(args)),
  },
  approve_secret: byId((canister, id) => canister.approveSecretById(id)),
  approve_consumer: byId((canister, id) => canister.approveConsumerById(id)),
  revoke_secret: byId((canister, id) => canister.revokeById("secrets", id)),
  revoke_consumer: byId((canister, id) => canister.revokeById("consumers", id)),
  revoke_pending_secret: byId((canister, id) => canister.revokeById("pending_secret_reqs", id)),
  revoke_pending_consumer: byId((canister, id) => canister.revokeById("pending_consumer_reqs", id)),
  add_user: byUser((canister, user) => canister.addUser(user)),
  remove_user: byUser((canister, user) => canister.removeUser(user)),
  whoami: { types: [], result: IDL.Text, run: (_canister, _args, sender) => sender },
};

/** Runs an update method and returns its result as a Candid message; throws a TrapError if there is none. */
export function runMethod(canister: VaultCanister, { method, arg, sender }: MethodCall): Uint8Array {
  const known = methods[method];
  if (canister.trap !== undefined) throw new TrapError(canister.trap);
  if (known === undefined) throw new TrapError(`Canister has no update method '${method}'`);
  if (known.isGuarded === true && !canister.users.includes(sender))
    throw new TrapError("cannot access this route");
  const result = known.run(canister, IDL.decode([...known.types], arg), sender);
  return IDL.encode([known.result ?? outcome], [result]);
}

/** The arguments of a call, for a test to look at. */
export function argumentsOf({ method, arg }: Omit<MethodCall, "sender">): readonly unknown[] {
  return IDL.decode([...(methods[method]?.types ?? [])], arg);
}
