import { IDL } from "@icp-sdk/core/candid";
import { z } from "keelson";
import { checkTypes } from "./candid-types.ts";
import type { CanisterCall } from "./canister-call.ts";
import { certifiedLists } from "./certified-lists.ts";

const secret = IDL.Record({
  id: IDL.Text,
  kube_id: IDL.Text,
  ttl: IDL.Nat32,
  pending_type: IDL.Nat8,
  creator: IDL.Text,
  create_timestamp: IDL.Text,
  update_timestamp: IDL.Text,
});

const consumer = IDL.Record({
  id: IDL.Text,
  kube_id: IDL.Text,
  secret_kube_id: IDL.Text,
  permission_type: IDL.Nat8,
  pending_type: IDL.Nat8,
  creator: IDL.Text,
  create_timestamp: IDL.Text,
  update_timestamp: IDL.Text,
});

/** Without `data`, the same lists as text, which the decoder skips. */
const status = IDL.Record({
  secrets: IDL.Vec(secret),
  pending_secret_reqs: IDL.Vec(secret),
  consumers: IDL.Vec(consumer),
  pending_consumer_reqs: IDL.Vec(consumer),
  certificate: IDL.Opt(IDL.Vec(IDL.Nat8)),
});

const outcome = IDL.Variant({ Ok: IDL.Null, Err: IDL.Text });

const argumentTypes: Readonly<Record<CanisterCall["method"], IDL.Type[]>> = {
  add_secret: [IDL.Text, IDL.Nat32],
  update_secret: [IDL.Text, IDL.Nat32],
  add_consumer: [IDL.Text, IDL.Text, IDL.Nat8],
  update_consumer: [IDL.Text, IDL.Text, IDL.Nat8],
};

const bytes = z.instanceof(Uint8Array);
const decodedStatus = z.tuple([
  certifiedLists.extend({ certificate: z.union([z.tuple([]), z.tuple([bytes])]) }),
]);
const decodedOutcome = z.tuple([z.union([z.object({ Ok: z.null() }), z.object({ Err: z.string() })])]);

/** The result of `get_certified_status`; nothing in it is proven yet. */
export type CertifiedStatus = z.output<typeof decodedStatus>[0];

/** The arguments of `get_certified_status`. */
export function encodeNothing(): Uint8Array {
  return IDL.encode([], []);
}

export function encodeArguments({ method, args }: CanisterCall): Uint8Array {
  return IDL.encode(argumentTypes[method], [...args]);
}

/** Throws if the message is no result of `get_certified_status`. */
export function decodeStatus(message: Uint8Array): CertifiedStatus {
  checkTypes(message);
  return decodedStatus.parse(IDL.decode([status], message))[0];
}

/** Why the canister refused a call; undefined if it did not. Throws if the message does not say it. */
export function decodeRefusal(message: Uint8Array): string | undefined {
  const [result] = decodedOutcome.parse(IDL.decode([outcome], message));
  return "Err" in result ? result.Err : undefined;
}
