import { formatConsumer } from "../../api/consumer.ts";
import { PolicyError, type PolicyRequest, type SecretKey, type SecretPolicy } from "../policy.ts";
import { permissionTypeOf, secretIdOf } from "./canister-decisions.ts";

/** A call that makes a request in a canister. */
export type CanisterCall =
  | {
      readonly method: "add_secret" | "update_secret";
      /** The id of the secret and its rotation period in seconds. */
      readonly args: readonly [string, number];
    }
  | {
      readonly method: "add_consumer" | "update_consumer";
      /** The ids of the consumer and the secret, and the number of the permission. */
      readonly args: readonly [string, string, number];
    };

/** As many seconds as the interface of the canister can hold. */
const mostSeconds = 2 ** 32 - 1;

/**
 * The call that a request needs, by what the canister says now: it refuses to add what it has approved and to update what
 * it has not, and it does not notice a request that it has already. Undefined if it has it, or has decided on it.
 */
export function callFor(
  secret: SecretKey,
  policy: SecretPolicy,
  request: PolicyRequest,
): CanisterCall | undefined {
  const id = secretIdOf(secret);
  const { approval, pendingRotateSeconds, refusedRotateSeconds = [], consumers } = policy;
  if (request.type === "Share") {
    const { rotateSeconds } = request;
    if (rotateSeconds > mostSeconds)
      throw new PolicyError(
        "PolicyRefused",
        `request to share ${id}: a canister cannot hold a rotation period of ${rotateSeconds} s; choose at most ${mostSeconds} s`,
      );
    const decided = [approval?.rotateSeconds, pendingRotateSeconds, ...refusedRotateSeconds];
    if (decided.includes(rotateSeconds)) return undefined;
    return { method: approval === undefined ? "add_secret" : "update_secret", args: [id, rotateSeconds] };
  }
  const consumerId = formatConsumer(request.consumer);
  const known = consumers.filter(({ consumer }) => formatConsumer(consumer) === consumerId);
  if (known.some(({ permission }) => permission === request.permission)) return undefined;
  const isApproved = known.some(({ state }) => state === "Approved");
  return {
    method: isApproved ? "update_consumer" : "add_consumer",
    args: [consumerId, id, permissionTypeOf(request.permission)],
  };
}
