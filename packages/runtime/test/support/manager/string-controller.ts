import { expect } from "vitest";
import type {
  ControllerDefinition,
  ControllerOptions,
} from "../../../src/controller/controller-definition.ts";
import type { Reconciler } from "../../../src/controller/reconciler.ts";
import { readySource } from "../controller-world.ts";
import type { ManagerWorld } from "./manager-world.ts";

/** A controller of strings whose one source is ready at once. */
export function makeDefinition(
  reconcile: Reconciler<string>,
  options: ControllerOptions = {},
): ControllerDefinition<string> & { readonly source: ReturnType<typeof readySource> } {
  const source = readySource();
  return { name: "test", formatKey: (key) => key, sources: [source], source, reconcile, options };
}

/** Expects that the manager ends without an error and without an advance of the clock, and leaves no timer. */
export async function ends({ clock, running }: ManagerWorld): Promise<void> {
  await clock.settle();
  await running;
  expect(clock.pendingTimers).toEqual([]);
}
