// An operator as a process: a manager with one controller. It prints what happens as lines of JSON.
import { setImmediate } from "node:timers/promises";
import { connect } from "@keelson/client";
import { aborted, toError } from "@keelson/core";
import { controllerFor } from "../../../src/controller/key-builder.ts";
import { silentLogger } from "../../../src/logger.ts";
import { Manager } from "../../../src/manager/manager.ts";
import { runUntilSignal } from "../../../src/manager/signals.ts";
import { sourceOf } from "../../../src/source/source.ts";
import type { ProgramLine, ProgramSettings } from "./program-lines.ts";

const settings: ProgramSettings = JSON.parse(process.argv[2] ?? "");
const { kubeconfigPath, identity, reconciles, isStubborn = false, graceMs, lease } = settings;
const print = (line: ProgramLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

// The process that started this one holds the other end of stdin; when it exits, this one exits, too.
process.stdin.on("end", () => process.exit(1)).resume();
print({ type: "begun" });
/** The resources that keep the process alive without a manager: its own input and output. */
const before = process.getActiveResourcesInfo();
const { client, close } = await connect({ kubeconfigPath, userAgent: identity });
const endpoint = { host: "127.0.0.1", port: 0 };
const manager = new Manager({
  client,
  log: silentLogger,
  metrics: endpoint,
  health: endpoint,
  ...(graceMs !== undefined && { graceMs }),
  ...(lease !== undefined && {
    leaderElection: {
      renewIn: "worker",
      connect: { kubeconfigPath, userAgent: identity },
      lease: { namespace: "default", name: lease },
      identity,
    },
  }),
  onListening: (server, port) => print({ type: "listening", server, port }),
});
const keys = Array.from({ length: reconciles }, (_, index) => `key-${index}`);
manager.add(
  controllerFor<string>({ name: identity, formatKey: (key) => key }, { concurrency: reconciles })
    .source(
      sourceOf("all keys", async ({ enqueue }) => {
        for (const key of keys) enqueue(key, { trigger: { source: "all keys", type: "generic" } });
      }),
    )
    .reconcileKey(async ({ key, signal }) => {
      print({ type: "reconciling", key });
      await aborted(signal);
      print({ type: "aborted", key });
      if (isStubborn) await new Promise(() => undefined);
    }),
);

try {
  await runUntilSignal(manager, process);
  await close();
  // Closed resources are released in the next round of the event loop.
  await setImmediate();
  await setImmediate();
  const left = process.getActiveResourcesInfo();
  for (const resource of before) if (left.includes(resource)) left.splice(left.indexOf(resource), 1);
  print({ type: "ended", left });
  process.stdin.destroy();
} catch (error) {
  print({ type: "failed", message: toError(error).message });
  // A reconcile that does not end would keep the process alive.
  process.exit(1);
}
