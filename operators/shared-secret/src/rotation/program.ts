import { type Client, find, formatKey, type Logger } from "keelson";
import { dnsLabelProblem, dnsSubdomainProblem, sleep, toError } from "keelson/low-level";
import { SharedSecret } from "../api/shared-secret.ts";
import type { SecretKey } from "../policy/policy.ts";
import { type RotationDependencies, type RotationOutcome, rotateSecret } from "./rotate-secret.ts";
import { type Rotator, rotatorFor } from "./rotator.ts";
import { retryDelayMs } from "./schedule.ts";

/** What the rotator program works with. */
export interface RotatorProgram extends RotationDependencies {
  /** Of the SharedSecrets to rotate. */
  readonly keys: readonly SecretKey[];
  /** Reads from the server. It needs no other verbs than get and patch. */
  readonly client: Client;
  readonly rotators: readonly Rotator[];
}

/** The program may not watch, so it looks again after this time at the latest. */
const longestWaitMs = 30_000;
const shortestWaitMs = 100;

/** Rotates the values of some SharedSecrets when that is due, until the signal aborts. */
export async function runRotatorProgram(program: RotatorProgram): Promise<void> {
  program.log.info("started", { sharedSecrets: program.keys.map(formatKey) });
  await Promise.all(program.keys.map((key) => rotateForever(key, program)));
}

/** Rotates those values that are due now. Returns whether nothing failed. */
export async function rotateOnce(program: RotatorProgram): Promise<boolean> {
  const attempts = await Promise.all(program.keys.map((key) => attempt(key, program)));
  return attempts.every(({ hasFailed }) => !hasFailed);
}

async function rotateForever(key: SecretKey, program: RotatorProgram): Promise<void> {
  const { clock, signal } = program;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { untilMs, isUnreachable } = await attempt(key, program);
      failures = isUnreachable ? failures + 1 : 0;
      const waitMs = isUnreachable ? retryDelayMs(failures) : untilMs - clock.now();
      await sleep(clock, Math.min(Math.max(waitMs, shortestWaitMs), longestWaitMs), signal);
    } catch (error) {
      // Nothing else throws.
      if (!signal.aborted) throw error;
    }
  }
}

interface Attempt {
  /** When to look again. */
  readonly untilMs: number;
  /** The API server did not respond, or refused a request. */
  readonly isUnreachable: boolean;
  readonly hasFailed: boolean;
}

/** Throws only the signal's reason. */
async function attempt(key: SecretKey, program: RotatorProgram): Promise<Attempt> {
  const { clock, signal } = program;
  const log = program.log.with({ SharedSecret: key });
  const untilMs = clock.now() + longestWaitMs;
  try {
    const outcome = await rotate(key, { ...program, log });
    logOutcome(log, outcome);
    const nextMs = outcome.result === "Rotated" ? outcome.nextMs : outcome.retryAtMs;
    return { untilMs: nextMs ?? untilMs, isUnreachable: false, hasFailed: outcome.result === "Failed" };
  } catch (error) {
    signal.throwIfAborted();
    log.error("the SharedSecret could not be read or written", { error: toError(error) });
    return { untilMs, isUnreachable: true, hasFailed: true };
  }
}

async function rotate(key: SecretKey, program: RotatorProgram): Promise<RotationOutcome> {
  const { client, rotators, log, signal } = program;
  const sharedSecret = await find(client, SharedSecret, key, { signal });
  if (sharedSecret === undefined) return { result: "NotDue", reason: "BeingDeleted" };
  const { rotator: chosen } = sharedSecret.spec;
  if (chosen?.runsIn !== "Sidecar") return { result: "NotDue", reason: "NoRotator" };
  const rotator = rotatorFor(chosen, rotators);
  if (rotator !== undefined) return rotateSecret(client, sharedSecret, rotator, program);
  const { name } = chosen.custom ?? {};
  log.error("this program has no such rotator; use an image that has it", { rotator: name });
  return { result: "NotDue", reason: "NoRotator" };
}

/** `rotateSecret` has logged what failed. */
function logOutcome(log: Logger, outcome: RotationOutcome): void {
  if (outcome.result === "Rotated") log.info("the value was rotated");
  if (outcome.result === "NotDue") log.debug("the value is not rotated now", { reason: outcome.reason });
}

/** The keys in a text such as `shop/orders-db,shop/billing-db`, or what is wrong with it. */
export function parseKeys(
  text: string,
): { readonly keys: readonly SecretKey[] } | { readonly problem: string } {
  const parts = text.split(",").map((part) => part.trim());
  const keys: SecretKey[] = [];
  for (const part of parts) {
    const [namespace = "", name = "", ...rest] = part.split("/");
    const problem = dnsLabelProblem(namespace) ?? dnsSubdomainProblem(name);
    if (rest.length > 0 || problem !== undefined)
      return {
        problem: `${JSON.stringify(part)} is not the namespace and name of a SharedSecret, such as shop/orders-db`,
      };
    keys.push({ namespace, name });
  }
  const unique = new Map(keys.map((key) => [formatKey(key), key]));
  return { keys: [...unique.values()] };
}
