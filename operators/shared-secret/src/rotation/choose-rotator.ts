import type { RotatorSpec } from "../api/spec.ts";
import type { Rotator } from "./rotator.ts";

/** The name of the rotator that comes with the operator, and its field in `spec.rotator`. */
export const postgresName = "postgres";

/** The rotator that a spec chooses; undefined if there is none of that name. */
export function rotatorFor(
  { postgres, custom }: RotatorSpec,
  rotators: readonly Rotator[],
): Rotator | undefined {
  // A custom one of that name would get a spec without a database.
  if (custom?.name === postgresName) return undefined;
  const chosen = postgres === undefined ? custom?.name : postgresName;
  return rotators.find(({ name }) => name === chosen);
}
