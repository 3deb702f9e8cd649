import type { Manager, Operator } from "keelson";
import type { ConcurrencyDefaults } from "keelson/controller";
import { abortable } from "keelson/low-level";
import { WebhooksNotServedError } from "keelson/manager";
import { nearest } from "../config/nearest.ts";
import type { SettingsByOperator } from "../config/resolve-config.ts";
import { OperatorSetupError, UnknownKindsError, WebhooksNotConfiguredError } from "./errors.ts";

/** The operators as their settings make them. Throws an OperatorSetupError. */
export function withSettings(
  operators: readonly Operator[],
  settings: SettingsByOperator,
): readonly Operator[] {
  return operators.map((operator) => {
    try {
      return operator.withSettings(settings.get(operator.name));
    } catch (error) {
      throw new OperatorSetupError(operator.name, { cause: error });
    }
  });
}

/** Adds an operator to a manager. Throws an OperatorSetupError, a WebhooksNotConfiguredError, or the signal's reason. */
export async function setUpOperator(
  operator: Operator,
  manager: Manager,
  signal: AbortSignal,
): Promise<void> {
  try {
    await abortable(
      (async () => {
        await operator.setup(manager);
      })(),
      signal,
    );
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw error;
    if (error instanceof WebhooksNotServedError)
      throw new WebhooksNotConfiguredError(operator.name, { cause: error });
    throw new OperatorSetupError(operator.name, { cause: error });
  }
}

/** Throws an UnknownKindsError if a concurrency is set for a kind that no controller reconciles: it would have no effect. */
export function requireKnownKinds({ byKind = {} }: ConcurrencyDefaults, kinds: readonly string[]): void {
  const unknown = Object.keys(byKind).filter((kind) => !kinds.includes(kind));
  if (unknown.length === 0) return;
  const meant = unknown.flatMap((kind) => nearest(kind, kinds) ?? []);
  throw new UnknownKindsError(unknown, kinds, meant);
}
