import { Cbor, Certificate, lookup_path, lookupResultToBuffer } from "@icp-sdk/core/agent";
import { lebDecode, PipeArrayBuffer } from "@icp-sdk/core/candid";
import type { Principal } from "@icp-sdk/core/principal";
import { toError } from "keelson/low-level";
import { PolicyError } from "../policy.ts";
import type { CertifiedStatus } from "./canister-interface.ts";
import { type CertifiedLists, digestOf } from "./certified-lists.ts";

/** Who must have signed a certificate, and about which canister. */
export interface Trust {
  readonly rootKey: Uint8Array;
  readonly canisterId: Principal;
}

/** What a canister has certified. */
export interface CertifiedState {
  readonly lists: CertifiedLists;
  /** When the network signed it, by the time of the network. */
  readonly certifiedMs: number;
}

/** How far the time of a certificate and our clock may differ. */
const mostDifferenceMs = 5_000;

/** A subnet may have got other keys since; the SDK allows as much. */
const mostDelegationAgeMs = 30 * 24 * 3_600_000;

/**
 * The lists of a response, if the network proves that they are the lists of the canister, and that they were a moment ago.
 * Throws a PolicyError otherwise.
 */
export async function verifyStatus(
  { certificate: [bytes], ...lists }: CertifiedStatus,
  trust: Trust,
  nowMs: number,
): Promise<CertifiedState> {
  if (bytes === undefined) throw unverified("the response has no certificate");
  const certificate = await verifyCertificate(bytes, trust);
  const certifiedMs = timeOf(certificate);
  checkTimes(certificate, certifiedMs, nowMs);
  const path = ["canister", trust.canisterId.toUint8Array(), "certified_data"];
  const certified = lookupResultToBuffer(certificate.lookup_path(path));
  if (certified === undefined) throw unverified("its certificate is not about this canister");
  if (!digestOf(lists).equals(certified))
    throw unverified("its lists are not the ones that the canister certified");
  return { lists, certifiedMs };
}

/**
 * A certificate that the root key has signed, or a subnet which is responsible for the canister and has its key from there.
 * Its time is not checked: the SDK would compare it with the clock of the machine.
 */
export async function verifyCertificate(
  bytes: Uint8Array,
  { rootKey, canisterId }: Trust,
): Promise<Certificate> {
  try {
    return await Certificate.create({
      certificate: bytes,
      rootKey,
      principal: { canisterId },
      disableTimeVerification: true,
    });
  } catch (error) {
    const [problem] = toError(error).message.split("\n");
    throw unverified(`its certificate is not valid: ${problem}`, { cause: error });
  }
}

/** When the network signed a certificate, in milliseconds since 1970. */
export function timeOf(certificate: Pick<Certificate, "lookup_path">): number {
  const time = lookupResultToBuffer(certificate.lookup_path(["time"]));
  if (time === undefined) throw unverified("its certificate has no time");
  // It needs a copy, as it reads from the beginning of the underlying buffer.
  return Number(lebDecode(new PipeArrayBuffer(time.slice())) / 1_000_000n);
}

function checkTimes({ cert }: Certificate, certifiedMs: number, nowMs: number): void {
  const ageMs = nowMs - certifiedMs;
  if (Math.abs(ageMs) > mostDifferenceMs)
    throw new PolicyError(
      "PolicyStale",
      `its certificate is ${describeAge(ageMs)}, and 5 s are allowed; check the clock of this machine`,
    );
  if (cert.delegation === undefined) return;
  const { tree } = Cbor.decode<Certificate["cert"]>(cert.delegation.certificate);
  const delegationAgeMs = nowMs - timeOf({ lookup_path: (path) => lookup_path(path, tree) });
  if (delegationAgeMs > mostDelegationAgeMs)
    throw new PolicyError(
      "PolicyStale",
      `the delegation of its certificate is ${describeAge(delegationAgeMs)}`,
    );
}

function describeAge(ageMs: number): string {
  const seconds = (Math.abs(ageMs) / 1000).toFixed(1);
  return ageMs < 0 ? `${seconds} s ahead of our clock` : `${seconds} s old`;
}

function unverified(problem: string, options?: ErrorOptions): PolicyError {
  return new PolicyError("PolicyUnverified", problem, options);
}
