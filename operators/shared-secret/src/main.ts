#!/usr/bin/env node
import { parseArgs } from "node:util";
import { jsonLogger, runUntilSignal, systemClock } from "keelson";
import { connect } from "keelson/client";
import { systemRandomBytes, toError } from "keelson/low-level";
import type { SecretKey } from "./policy/policy.ts";
import { connectPostgres } from "./rotation/postgres/pg-connection.ts";
import { postgresRotator } from "./rotation/postgres/postgres-rotator.ts";
import { parseKeys, rotateOnce, runRotatorProgram } from "./rotation/program.ts";

const help = `Usage: keelson-rotator [--once]

Rotates the values of SharedSecrets whose rotator runs in a sidecar, when that is due, until SIGTERM.

  --once   rotate what is due now and end: with 0, or with 1 if something failed
  --help   show this

Environment:
  SHARED_SECRETS   the SharedSecrets, such as shop/orders-db,shop/billing-db
  KUBECONFIG       the cluster, if the program does not run in a pod of it

Exit codes: 0 done or stopped by a signal, 1 failed, 2 wrong arguments or environment
`;

async function main(): Promise<void> {
  const { once, help: isHelp } = parseArgs({
    options: { once: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  }).values;
  if (isHelp === true) return void process.stdout.write(help);
  const named = parseKeys(process.env.SHARED_SECRETS ?? "");
  if ("problem" in named) return end(`read SHARED_SECRETS: ${named.problem}`, 2);
  await rotate(named.keys, once === true).catch((error) => end(toError(error).message, 1));
}

async function rotate(keys: readonly SecretKey[], isOnce: boolean): Promise<void> {
  const clock = systemClock;
  const log = jsonLogger({ clock, write: (line) => process.stdout.write(`${line}\n`) });
  await using connection = await connect({ clock, onWarning: (message) => log.warn(message) });
  const rotators = [postgresRotator(connectPostgres)];
  const program = { keys, rotators, log, clock, client: connection.client, randomBytes: systemRandomBytes };
  const run = async (signal: AbortSignal): Promise<void> => {
    if (!isOnce) await runRotatorProgram({ ...program, signal });
    else if (!(await rotateOnce({ ...program, signal }))) process.exitCode = 1;
  };
  await runUntilSignal({ run }, process);
}

function end(message: string, exitCode: number): void {
  process.stderr.write(`keelson-rotator: ${message}\n`);
  process.exitCode = exitCode;
}

// Only wrong arguments are left to catch.
await main().catch((error) => end(`${toError(error).message}; try --help`, 2));
