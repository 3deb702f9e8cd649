import { KeelsonError, type ObjectKey } from "keelson";
import { type Consumer, formatConsumer, type NamedConsumer, type Permission } from "../api/consumer.ts";
import { periodText } from "../api/spec.ts";

/** The namespace and name of a SharedSecret. */
export type SecretKey = Required<ObjectKey>;

/** What a policy says about one SharedSecret. */
export interface SecretPolicy {
  /** Undefined while the secret may not be shared: then no consumer counts. */
  readonly approval: SecretApproval | undefined;
  /** The rotation period of a request that is not decided yet; undefined if there is none. */
  readonly pendingRotateSeconds: number | undefined;
  /** Rotation periods that were denied or revoked, and are not requested again. Default: none is known. */
  readonly refusedRotateSeconds?: readonly number[];
  /** Approved and pending ones. */
  readonly consumers: readonly ConsumerPolicy[];
}

/** That a secret may be shared. */
export interface SecretApproval {
  /** The approved rotation period; 0 for never. */
  readonly rotateSeconds: number;
  readonly by?: string;
  /** As RFC 3339. */
  readonly at?: string;
}

/** What a policy says about one consumer of a SharedSecret. */
export interface ConsumerPolicy {
  readonly consumer: Consumer;
  readonly permission: Permission;
  /** Refused ones were denied or revoked, and are not requested again. */
  readonly state: "Approved" | "Pending" | "Refused";
  readonly by?: string;
  /** As RFC 3339. */
  readonly at?: string;
}

/** A request for a decision, which a person makes elsewhere. */
export type PolicyRequest =
  | { readonly type: "Share"; readonly rotateSeconds: number; readonly isUpdate: boolean }
  | { readonly type: "Access"; readonly consumer: NamedConsumer; readonly permission: Permission };

/** What is requested, in a sentence for users about a secret such as `SharedSecret orders-db`. */
export function requestText(
  secret: string,
  request:
    | { readonly rotateSeconds: number }
    | { readonly consumer: Consumer; readonly permission: Permission },
): string {
  return "consumer" in request
    ? `${formatConsumer(request.consumer)} asks for ${request.permission} access to ${secret}`
    : `${secret} asks to be shared and rotated ${periodText(request.rotateSeconds)}`;
}

/**
 * Decides who may use which SharedSecret. The operator reads decisions and makes requests; it never decides.
 *
 * Nothing that could not be verified is ever returned: `read` throws a PolicyError instead, and the caller changes nothing.
 */
export interface Policy {
  /** Throws a PolicyError if what is known is not certain or not current. */
  read(secret: SecretKey, signal: AbortSignal): Promise<SecretPolicy>;
  /** Makes a request; one that exists already is left as it is. Throws a PolicyError if that fails. */
  request(secret: SecretKey, request: PolicyRequest, signal: AbortSignal): Promise<void>;
  /** How often decisions are to be read again; undefined if a change enqueues the SharedSecret by itself. */
  readonly pollMs: number | undefined;
  /** One line of what a person does to approve a request, for Events; undefined if it cannot be said. */
  approvalHint(secret: SecretKey, request: PolicyRequest): string | undefined;
}

/** Why decisions of a policy cannot be used. */
export type PolicyProblem =
  /** There was no response, or not all of it. */
  | "PolicyUnreachable"
  /** The response is not proven to come from the policy: signature, canister or content differ. */
  | "PolicyUnverified"
  /** The response is proven, but older than it may be. */
  | "PolicyStale"
  /** The policy refused the request, or its response cannot be understood. */
  | "PolicyRefused";

/** What a policy says is not known. Nothing may change because of it. */
export class PolicyError extends KeelsonError {
  static override readonly brand: string = "keelson.shared-secret.PolicyError";
  readonly code = "POLICY";
  readonly reason: PolicyProblem;

  constructor(reason: PolicyProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
