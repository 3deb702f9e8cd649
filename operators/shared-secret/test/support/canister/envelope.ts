import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { Cbor, requestIdOf } from "@icp-sdk/core/agent";
import { Principal } from "@icp-sdk/core/principal";
import { z } from "keelson";

const bytes = z.instanceof(Uint8Array);
const common = { sender: bytes, nonce: bytes.optional(), ingress_expiry: z.union([z.bigint(), z.number()]) };
const methodContent = { ...common, canister_id: bytes, method_name: z.string(), arg: bytes };

const content = z.discriminatedUnion("request_type", [
  z.strictObject({ ...methodContent, request_type: z.literal("query") }),
  z.strictObject({ ...methodContent, request_type: z.literal("call") }),
  z.strictObject({ ...common, request_type: z.literal("read_state"), paths: z.array(z.array(bytes)) }),
]);

const envelope = z.strictObject({ content, sender_pubkey: bytes.optional(), sender_sig: bytes.optional() });

/** A request of an agent, whose signature was verified. */
export interface Envelope {
  readonly content: z.output<typeof content>;
  readonly requestId: Uint8Array;
  /** The principal that signed. */
  readonly sender: string;
}

/** Throws if the body is no envelope, or if its sender did not sign it. */
export function readEnvelope(body: Uint8Array): Envelope {
  const { content, sender_pubkey, sender_sig } = envelope.parse(Cbor.decode(body));
  const requestId = requestIdOf(content);
  const sender = Principal.fromUint8Array(content.sender);
  if (!sender.isAnonymous()) checkSignature(sender, requestId, sender_pubkey, sender_sig);
  return { content, requestId, sender: sender.toText() };
}

function checkSignature(
  sender: Principal,
  requestId: Uint8Array,
  publicKey: Uint8Array | undefined,
  signature: Uint8Array | undefined,
): void {
  if (publicKey === undefined || signature === undefined) throw new Error("the request is not signed");
  if (sender.compareTo(Principal.selfAuthenticating(publicKey)) !== "eq")
    throw new Error("the public key is not that of the sender");
  const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
  const message = Buffer.concat([Buffer.from("\x0Aic-request"), requestId]);
  if (!isSigned(message, key, signature)) throw new Error("the signature of the sender is wrong");
}

function isSigned(message: Uint8Array, key: KeyObject, signature: Uint8Array): boolean {
  if (key.asymmetricKeyType === "ed25519") return verify(null, message, key, signature);
  return verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, signature);
}
