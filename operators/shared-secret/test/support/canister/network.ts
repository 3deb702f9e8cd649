import { Cbor } from "@icp-sdk/core/agent";
import { lebEncode } from "@icp-sdk/core/candid";
import { Principal } from "@icp-sdk/core/principal";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { type Branches, branches, type HashTree, leaf, pruned, rootHash } from "./hash-tree.ts";

/** What signs: the keys of the root subnet or of another one. */
interface SigningKey {
  /** The public key, in DER. */
  readonly der: Uint8Array;
  sign(tree: HashTree): Uint8Array;
}

export interface NetworkOptions {
  readonly canisterId: Principal;
  /**
   * Which subnet the canister is on: the root subnet, which signs with the root key, or one to which the root key
   * delegates, for canisters of which ours is one or is not. Default: Root.
   */
  readonly subnet?: "Root" | "Responsible" | "Foreign";
  /** How old the delegation is. Default: 0. */
  readonly delegationAgeSeconds?: number;
}

/** How a certificate is to be wrong. */
export interface CertificateFaults {
  readonly isForged?: boolean;
  readonly ageSeconds?: number;
}

/** Where canister ranges are in a delegation: newer endpoints have them in shards. */
export type RangesFormat = "Flat" | "Sharded";

/** Signs certificates as a network of the Internet Computer does, with keys of its own. */
export class Network {
  readonly rootKey: Uint8Array;
  readonly #root = makeKey();
  readonly #subnet = makeKey();
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.rootKey = this.#root.der;
  }

  /** A certificate about a part of the state. */
  certify(
    content: Branches,
    nowMs: number,
    format: RangesFormat,
    { isForged = false, ageSeconds = 0 }: CertificateFaults = {},
  ): Uint8Array {
    const { subnet = "Root" } = this.#options;
    // A certificate shows what was asked for; the rest of the state is pruned.
    const tree = timedTree([...content, ["streams", pruned(leaf("not shown"))]], nowMs - ageSeconds * 1000);
    const honest = subnet === "Root" ? this.#root : this.#subnet;
    return Cbor.encode({
      tree,
      signature: (isForged ? makeKey() : honest).sign(tree),
      ...(subnet !== "Root" && { delegation: this.#delegation(nowMs, format) }),
    });
  }

  #delegation(nowMs: number, format: RangesFormat) {
    const { canisterId, subnet, delegationAgeSeconds = 0 } = this.#options;
    const subnetId = Principal.selfAuthenticating(this.#subnet.der).toUint8Array();
    const [first, last] = rangeOf(canisterId, subnet === "Responsible");
    const ranges = leaf(Cbor.encode([[first, last]]));
    const flat: Branches = format === "Flat" ? [["canister_ranges", ranges]] : [];
    const key = branches([...flat, ["public_key", leaf(this.#subnet.der)]]);
    const tree = timedTree(
      [
        ["subnet", branches([[subnetId, key]])],
        ...(format === "Sharded"
          ? [["canister_ranges", branches([[subnetId, branches([[first, ranges]])]])] as const]
          : []),
      ],
      nowMs - delegationAgeSeconds * 1000,
    );
    const certificate = Cbor.encode({ tree, signature: this.#root.sign(tree) });
    return { subnet_id: subnetId, certificate };
  }
}

function timedTree(content: Branches, timeMs: number): HashTree {
  return branches([...content, ["time", leaf(lebEncode(BigInt(timeMs) * 1_000_000n))]]);
}

/** The first and the last id of a range of 256 canisters that contains this one, or of one far away. */
function rangeOf(id: Principal, isResponsible: boolean): readonly [Uint8Array, Uint8Array] {
  const bytes = id.toUint8Array();
  const bound = (last: number): Uint8Array =>
    bytes.map((byte, index) => (index === 7 ? last : index === 0 && !isResponsible ? byte ^ 0xff : byte));
  return [bound(0), bound(0xff)];
}

const signatures = bls12_381.shortSignatures;
const domain = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const derHeader = "308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100";

function makeKey(): SigningKey {
  const { secretKey, publicKey } = signatures.keygen();
  return {
    der: Uint8Array.from([...Buffer.from(derHeader, "hex"), ...publicKey.toBytes()]),
    sign(tree) {
      const message = Buffer.concat([Buffer.from("\x0Dic-state-root"), rootHash(tree)]);
      return signatures.sign(signatures.hash(message, domain), secretKey).toBytes();
    },
  };
}
