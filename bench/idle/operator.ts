// An operator with one controller, which does nothing: prints what it cost to get ready and what it costs at rest.
import { setTimeout } from "node:timers/promises";
import { connect, controller } from "keelson";
import { ConfigMap } from "keelson/kinds/core/v1";
import { Manager } from "../../packages/runtime/src/manager/manager.ts";

/** Long enough for what the start left behind to be collected. */
const restMs = 3_000;

process.stdin.on("end", () => process.exit(1)).resume();
const [, , kubeconfigPath = ""] = process.argv;
const { client } = await connect({ kubeconfigPath });
const endpoint = { host: "127.0.0.1", port: 0 };
const health = Promise.withResolvers<number>();
const manager = new Manager({
  client,
  metrics: endpoint,
  health: endpoint,
  onListening: (server, port) => void (server === "health" && health.resolve(port)),
});
manager.add(controller(ConfigMap).reconcile(() => undefined));
const running = manager.run(new AbortController().signal);
const port = await Promise.race([health.promise, running.then(() => 0)]);
while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) await setTimeout(5);
// Since the process began, its own start and all imports included.
const readyMs = performance.now();
await setTimeout(restMs);
console.log(JSON.stringify({ readyMs, rssMb: process.memoryUsage.rss() / 1e6 }));
