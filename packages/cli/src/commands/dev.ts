import { type SandboxSurroundings, sandbox } from "./sandbox.ts";

/** Starts the embedded control plane with two hollow nodes and keeps it, in memory, until the signal aborts. */
export async function dev(surroundings: SandboxSurroundings): Promise<void> {
  await sandbox({ host: "127.0.0.1", port: "0", nodes: "2", controllers: true }, surroundings);
}
