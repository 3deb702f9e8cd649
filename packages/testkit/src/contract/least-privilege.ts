import type { Transport, TransportRequest } from "@keelson/core";
import type { ApiUse, Operator } from "keelson";
import { MissingPermissionsError, rbacRules } from "keelson/schema";
import { useOf } from "../operator/recorded-write.ts";
import { type RunningOperator, type RunOperatorOptions, runOperator } from "../operator/run-operator.ts";
import type { World } from "../world/start-world.ts";
import { ContractError } from "./errors.ts";

/**
 * Runs an operator as a user who has exactly the permissions that it declares. Throws a ContractError with the lines to add
 * to the declaration if the API server refuses a request of the operator.
 */
export async function runWithDeclaredPermissions(
  operator: Operator,
  { cluster }: World,
  options: Omit<RunOperatorOptions, "access" | "adminAccess" | "wrap">,
  work: (running: RunningOperator) => Promise<void>,
): Promise<void> {
  const rules = rbacRules(await declaredUses(operator, cluster, options));
  const access = await cluster.createUser({ user: `${operator.name}-operator`, rules });
  const refused = new Set<string>();
  const recordRefused = (transport: Transport): Transport => ({
    async send(request) {
      const response = await transport.send(request);
      if (response.status === 403) refused.add(lineFor(request));
      return response;
    },
    close: () => transport.close(),
  });
  const problem = "the API server refuses requests that it does not declare; add to its uses";
  const broken = () => ({ operator: operator.name, problem, details: [...refused] });
  try {
    const own = { ...options, access, adminAccess: cluster, wrap: recordRefused };
    await using running = await runOperator(operator, own);
    await work(running);
  } catch (error) {
    // A refused request explains why nothing settles better than the time that has passed.
    if (refused.size === 0) throw error;
    throw new ContractError(broken(), { cause: error });
  }
  if (refused.size > 0) throw new ContractError(broken());
}

/** The uses that the operator's manager reports as missing to a user who may do nothing. */
async function declaredUses(
  operator: Operator,
  cluster: World["cluster"],
  options: Omit<RunOperatorOptions, "access">,
): Promise<readonly ApiUse[]> {
  const access = await cluster.createUser({ user: `${operator.name}-without-permissions`, rules: [] });
  try {
    await using _ = await runOperator(operator, { ...options, access, adminAccess: cluster });
    return [];
  } catch (error) {
    if (error instanceof MissingPermissionsError) return error.missing.map(({ use }) => use);
    throw error;
  }
}

function lineFor(request: TransportRequest): string {
  const use = useOf(request);
  if (use === undefined) return `{ verb: "${request.method.toLowerCase()}", path: "${request.path}" },`;
  const fields = Object.entries(use).map(([name, value]) => `${name}: "${value}"`);
  return `{ ${fields.join(", ")} },`;
}
