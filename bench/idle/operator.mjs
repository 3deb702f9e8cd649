// An operator with one controller, which does nothing: prints the port of its health, and at each line that it reads
// the memory that it takes. JavaScript, as an operator is when it is deployed: Node would load a compiler for TypeScript.
import { createInterface } from "node:readline";
import { controller, Manager } from "keelson";
import { connect } from "keelson/client";
import { ConfigMap } from "keelson/kinds/core/v1";

const [, , kubeconfigPath = ""] = process.argv;
const { client } = await connect({ kubeconfigPath });
const endpoint = { host: "127.0.0.1", port: 0 };
const manager = new Manager({
  client,
  metrics: endpoint,
  health: endpoint,
  onListening: (server, port) => void (server === "health" && console.log(port)),
});
manager.add(controller(ConfigMap).reconcile(() => undefined));
createInterface(process.stdin)
  .on("line", () => console.log(process.memoryUsage.rss() / 1e6))
  .on("close", () => process.exit(1));
await manager.run(new AbortController().signal);
