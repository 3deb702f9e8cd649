#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command } from "commander";
import type { SandboxFlags } from "./commands/sandbox.ts";
import { keepCompiled } from "./compile-cache.ts";
import type { DevFlags } from "./dev/dev-settings.ts";
import { stopOnSignals } from "./stop-on-signals.ts";
import { usageErrorLine } from "./usage-error.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

// Whoever read this has gone away, such as `head`: that is no reason to end what runs other than in order.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const program = new Command("keelson")
  .description("The operator platform for TypeScript")
  .version(version)
  .enablePositionalOptions()
  .configureOutput({ outputError: (text, write) => write(usageErrorLine(text)) });

program
  .command("dev")
  .description("run operators and their samples on a Kubernetes control plane on this machine until Ctrl-C")
  .argument(
    "[operators...]",
    "their names, or modules such as ./my-operator.ts (default: all that come with it)",
  )
  .option(
    "--exit-when-settled",
    "end with 0 when all samples are settled, and with 1 and the reason otherwise",
  )
  .option("--timeout <time>", "how long the samples may take to settle, such as 30s (default: 2m)")
  .option("--no-samples", "run the operators without their samples")
  .option("--log-file <file>", "write all that the operators log to this file")
  .option("--port <number>", "the port of the control plane; 0 takes any free one", "0")
  .option("--data <folder>", "keep everything in this folder across restarts (default: in memory)")
  .option(
    "--kubeconfig <file>",
    "where to write the kubeconfig (default: in --data, or a file that goes with it)",
  )
  .option("--nodes <count>", "how many hollow nodes run pods", "2")
  .action(async (names: readonly string[], flags: DevFlags) => {
    // Each command loads what it needs when it runs, so that `--help` answers at once.
    keepCompiled(process.env, process.platform);
    const { devCommand } = await import("./commands/dev-process.ts");
    await devCommand(names, flags, version);
  });

program
  .command("sandbox")
  .description("start only the embedded control plane, with a choice of where it listens and what it keeps")
  .option("--host <address>", "the address to listen on", "127.0.0.1")
  .option("--port <number>", "the port to listen on; 0 takes any free one", "0")
  .option("--data <folder>", "keep everything in this folder across restarts (default: in memory)")
  .option(
    "--kubeconfig <file>",
    "where to write the kubeconfig (default: in --data, or a file that goes with it)",
  )
  .option("--nodes <count>", "how many hollow nodes run pods", "2")
  .option("--no-controllers", "run the API server alone")
  .action(async (flags: SandboxFlags) => {
    const { sandbox } = await import("./commands/sandbox.ts");
    const { stdout, stderr } = process;
    await sandbox(flags, { signal: stopOnSignals(process), stdout, stderr, folder: process.cwd() });
  });

program
  .command("run")
  .description("run operators against the current kubeconfig or in-cluster")
  .usage("OPERATOR... [flags]")
  .argument("[arguments...]")
  // Its flags, and its help, are made of its settings.
  .helpOption(false)
  .allowUnknownOption()
  .passThroughOptions()
  .action(async (args: readonly string[]) => {
    const { runCommand } = await import("./commands/run-process.ts");
    await runCommand(args, version);
  });

try {
  await program.parseAsync(withHelpLast(process.argv.slice(2)), { from: "user" });
} catch (error) {
  const { describeFailure } = await import("./failure.ts");
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}

/** `help run` is `run --help`, which the command itself answers. A command that does not exist is as wrong as without `help`. */
function withHelpLast(args: readonly string[]): readonly string[] {
  const [first, name] = args;
  if (first !== "help" || name === undefined) return args;
  return program.commands.some((command) => command.name() === name) ? [name, "--help"] : [name];
}
