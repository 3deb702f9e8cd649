import {
  AgentError,
  type Certificate,
  HttpAgent,
  HttpErrorCode,
  HttpFetchErrorCode,
  IC_ROOT_KEY,
  isV2ResponseBody,
  isV4ResponseBody,
  lookupResultToBuffer,
  type RequestId,
  type SignIdentity,
  TrustError,
} from "@icp-sdk/core/agent";
import { Ed25519KeyIdentity } from "@icp-sdk/core/identity";
import { Secp256k1KeyIdentity } from "@icp-sdk/core/identity/secp256k1";
import { Principal } from "@icp-sdk/core/principal";
import { cutText, sleep, toError } from "keelson/low-level";
import { PolicyError } from "../policy.ts";
import type { CanisterCall } from "./canister-call.ts";
import { decodeRefusal, decodeStatus, encodeArguments, encodeNothing } from "./canister-interface.ts";
import { type CertifiedState, type Trust, timeOf, verifyCertificate, verifyStatus } from "./certificate.ts";
import { type ExchangeDependencies, exchange, type Fetch } from "./exchange.ts";
import type { IdentityKey } from "./identity-key.ts";

/** Where a canister is, and as who it is called. */
interface CanisterClientOptions extends ExchangeDependencies {
  readonly host: string;
  readonly canisterId: string;
  /** Undefined: that of the main network. It is never taken from the host, which could then prove anything. */
  readonly rootKey: Uint8Array | undefined;
  readonly identity: IdentityKey;
}

/** How long a response with the lists may take. */
const queryTimeoutMs = 10_000;

/** How long a call may take; the host itself waits up to 10 s for its result before we have to poll. */
const callTimeoutMs = 30_000;
const pollDelayMs = 1_000;

const mostProblemBytes = 300;

/**
 * Talks with a canister. Whatever it returns is proven by a certificate; whatever it throws, but the signal's reason, is a
 * PolicyError.
 */
export class CanisterClient {
  readonly #options: CanisterClientOptions;
  readonly #identity: SignIdentity;
  readonly #trust: Trust;

  constructor(options: CanisterClientOptions) {
    const { rootKey = Buffer.from(IC_ROOT_KEY, "hex"), canisterId } = options;
    this.#options = options;
    this.#identity = identityOf(options.identity);
    // A copy, as the SDK takes a Buffer for the whole of what it is a part of.
    this.#trust = { rootKey: Uint8Array.from(rootKey), canisterId: Principal.fromText(canisterId) };
  }

  /** The lists of the canister. */
  read(signal: AbortSignal): Promise<CertifiedState> {
    const methodName = "get_certified_status";
    return this.#exchange(methodName, queryTimeoutMs, signal, async (agent) => {
      const response = await agent.query(this.#trust.canisterId, { methodName, arg: encodeNothing() });
      if (response.status === "rejected") throw refused(response.reject_message);
      const { clock } = this.#options;
      return verifyStatus(decodeStatus(response.reply.arg), this.#trust, clock.now());
    });
  }

  /** Makes a call, waits for its result, and returns when the network certified it. */
  call(call: CanisterCall, signal: AbortSignal): Promise<number> {
    const { method: methodName } = call;
    const arg = encodeArguments(call);
    return this.#exchange(methodName, callTimeoutMs, signal, async (agent, ended) => {
      const { requestId, response } = await agent.call(this.#trust.canisterId, { methodName, arg });
      const { body } = response;
      if (isV2ResponseBody(body)) throw refused(body.reject_message);
      let certificate = isV4ResponseBody(body)
        ? await verifyCertificate(body.certificate, this.#trust)
        : undefined;
      for (;;) {
        const reply = certificate && replyIn(certificate, requestId);
        if (certificate !== undefined && reply !== undefined) {
          const refusal = decodeRefusal(reply);
          if (refusal !== undefined) throw refused(refusal);
          return timeOf(certificate);
        }
        certificate = await this.#poll(agent, requestId, ended);
      }
    });
  }

  /** The id of the request is in the certificate, and no other request has it: so the certificate may have any age. */
  async #poll(agent: HttpAgent, requestId: RequestId, signal: AbortSignal): Promise<Certificate> {
    await sleep(this.#options.clock, pollDelayMs, signal);
    const { verifiedCertificate } = await agent.readState(
      { canisterId: this.#trust.canisterId },
      { paths: [[new TextEncoder().encode("request_status"), requestId]], disableTimeVerification: true },
    );
    return verifiedCertificate;
  }

  async #exchange<Result>(
    methodName: string,
    timeoutMs: number,
    signal: AbortSignal,
    run: (agent: HttpAgent, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await exchange(this.#options, timeoutMs, signal, (fetch, ended) =>
        run(this.#agent(fetch), ended),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw policyErrorAbout(`call ${methodName} of canister ${this.#options.canisterId}`, error);
    }
  }

  /** One for each exchange, so that what a host says about the time, for example, ends with it. */
  #agent(fetch: Fetch): HttpAgent {
    return HttpAgent.createSync({
      ...{ host: this.#options.host, rootKey: this.#trust.rootKey, identity: this.#identity, fetch },
      // The operator retries, with its back-off and its clock.
      retryTimes: 0,
      shouldFetchRootKey: false,
      shouldSyncTime: false,
      // A single node signs a query's response; the certificate in it is signed by the subnet and proves more.
      verifyQuerySignatures: false,
    });
  }
}

function identityOf({ curve, secretKey }: IdentityKey): SignIdentity {
  return curve === "Ed25519"
    ? Ed25519KeyIdentity.fromSecretKey(secretKey)
    : Secp256k1KeyIdentity.fromSecretKey(secretKey);
}

/** The result of a request; undefined if there is none yet. */
function replyIn(certificate: Certificate, requestId: RequestId): Uint8Array | undefined {
  const find = (name: string): Uint8Array | undefined =>
    lookupResultToBuffer(certificate.lookup_path(["request_status", requestId, name]));
  const textOf = (name: string): string => Buffer.from(find(name) ?? []).toString();
  const status = textOf("status");
  if (status === "rejected") throw refused(textOf("reject_message"));
  if (status === "done") throw new PolicyError("PolicyUnreachable", "its result is no longer known");
  return status === "replied" ? find("reply") : undefined;
}

function policyErrorAbout(subject: string, error: unknown): PolicyError {
  const { reason, message } = policyErrorOf(error);
  return new PolicyError(reason, `${subject}: ${cutText(message, mostProblemBytes)}`, { cause: error });
}

/** What the agent throws may hold, some levels deep, what our fetch threw. */
function policyErrorOf(error: unknown): PolicyError {
  if (error instanceof PolicyError) return error;
  if (!(error instanceof AgentError)) return notUnderstood(error);
  const { code } = error;
  if (code instanceof HttpFetchErrorCode) return policyErrorOf(code.error);
  if (code instanceof HttpErrorCode)
    return refused(`the host responded with ${code.status}: ${code.bodyText ?? ""}`);
  if (error instanceof TrustError) return new PolicyError("PolicyUnverified", firstLine(error.message));
  return notUnderstood(error);
}

function notUnderstood(error: unknown): PolicyError {
  return new PolicyError(
    "PolicyRefused",
    `its response cannot be understood: ${firstLine(toError(error).message)}`,
  );
}

function refused(problem: string): PolicyError {
  return new PolicyError("PolicyRefused", problem);
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
