import { createClient } from "@keelson/client";
import { systemClock, systemRandom } from "@keelson/core";
import { createMetrics, installCrds, type Operator } from "keelson";
import { type Endings, endAll } from "../end-all.ts";
import { type CrashingTransportOptions, crashingTransport } from "./crashing-transport.ts";
import { openAccess } from "./operator-access.ts";
import { OperatorRun } from "./operator-run.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import { recordingTransport } from "./recording-transport.ts";
import type { RunningOperator, RunOperatorOptions } from "./run-operator.ts";

/** A running operator whose connections may die during one of its writes. */
export interface MortalOperator extends RunningOperator {
  /** Aborts when they die. */
  readonly crashed: AbortSignal;
  /** The write during which they died, if it was one. */
  crashedAt(): RecordedWrite | undefined;
}

/** Resolves when it runs, or when it has died on the way there. */
export async function startOperator(
  operator: Operator,
  options: RunOperatorOptions,
  crash: CrashingTransportOptions = {},
): Promise<MortalOperator> {
  const endings: Endings = [];
  try {
    return await start(operator, options, crash, endings);
  } catch (error) {
    await endAll(endings.splice(0));
    throw error;
  }
}

async function start(
  operator: Operator,
  options: RunOperatorOptions,
  crash: CrashingTransportOptions,
  endings: Endings,
): Promise<MortalOperator> {
  const { access, adminAccess = access, wrap = (transport) => transport } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const writes: RecordedWrite[] = [];
  // Operators that run side by side each have webhooks of their own.
  const webhookName = `${operator.name}-testkit-${random.next().toString(36).slice(2, 10)}`;
  const adminTransport = openAccess(adminAccess);
  const connection = crashingTransport(wrap(openAccess(access, clock)), crash);
  endings.push(
    () => adminTransport.close(),
    () => connection.close(),
  );
  const metrics = createMetrics({ clock, processMetrics: false });
  const transport = recordingTransport(connection, (write) => {
    if (write.name !== webhookName) writes.push(write);
  });
  const client = createClient({ transport: metrics.measureTransport(transport, "cluster"), clock });
  const admin = createClient({ transport: adminTransport });
  await installCrds(admin, operator.resources);
  const life = new OperatorRun(operator, {
    ...{ options, client, admin, connection, metrics, webhookName },
    release: () => endAll(endings.splice(0)),
  });
  await life.start();
  return {
    manager: life.manager,
    client: admin,
    writes,
    clearWrites: () => void writes.splice(0),
    metrics: () => metrics.render(),
    idle: () => life.idle(),
    ended: life.ended,
    stop: () => life.stop(),
    kill: () => life.kill(),
    crashed: connection.crashed,
    crashedAt: () => connection.crashedAt,
    [Symbol.asyncDispose]: () => life.stop(),
  };
}
