#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { describeFailure } from "./failure.ts";
import { stopOnSignals } from "./stop-on-signals.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const program = new Command("keelson")
  .description("The operator platform for TypeScript")
  .version(version)
  .showHelpAfterError();

program
  .command("dev")
  .description("start a Kubernetes control plane on this machine and keep it running until Ctrl-C")
  .action(async () => {
    // Each command loads what it needs when it runs, so that `--help` answers at once.
    const { dev } = await import("./commands/dev.ts");
    await dev({ signal: stopOnSignals(process), stdout: process.stdout, stderr: process.stderr });
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
