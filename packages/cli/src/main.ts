#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { Command } from "commander";
import { usageErrorLine, withHelpLast } from "./command-line.ts";
import type { SandboxFlags } from "./commands/sandbox.ts";
import { keepCompiled } from "./compile-cache.ts";
import type { DevFlags } from "./dev/dev-settings.ts";
import { stopOnSignals } from "./signals.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

// A reader of the output that has ended, such as `head`, is no reason to end a command other than in order.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const program = new Command("keelson")
  .description("The operator platform for TypeScript")
  .version(version)
  .enablePositionalOptions()
  .configureOutput({ outputError: (text, write) => write(usageErrorLine(text)) });

const dev = program
  .command("dev")
  .description("run operators and their samples on a Kubernetes control plane on this machine until Ctrl-C")
  .argument(
    "[operators...]",
    "names, or modules such as ./my-operator.ts (default: all that come with Keelson)",
  )
  .option(
    "--exit-when-settled",
    "end with 0 when all samples are settled, and with 1 and the reason otherwise",
  )
  .option("--timeout <time>", "how long the samples may take to settle, such as 30s (default: 2m)")
  .option("--no-samples", "run the operators without their samples")
  .option("--log-file <file>", "write everything that the operators log to this file")
  .option("--port <number>", "the port of the control plane; 0 chooses a free one", "0")
  .option("--data <folder>", "keep everything in this folder across restarts (default: in memory)")
  .option(
    "--fsync",
    "with --data: send a response when its write is on the disk (default: when the system has it)",
  )
  .option(
    "--repair",
    "with --data: leave out what is damaged, and keep a copy of it (default: refuse the folder)",
  )
  .option("--kubeconfig <file>", "where to write the kubeconfig (default: in --data, or a temporary file)")
  .option("--nodes <count>", "how many hollow nodes run pods", "2")
  .option(
    "--allow-incompatible-crds",
    "install kinds of the operators that break objects or clients of those in --data",
  )
  .option(
    "--config <file>",
    "a YAML file with settings of the operators, as keelson run reads it [KEELSON_CONFIG]",
  )
  // Its help includes the settings of the operators, which have flags, too.
  .helpOption(false)
  .option("-h, --help", "show this, with the settings of the operators")
  .allowUnknownOption()
  .action(async (args: readonly string[], flags: DevFlags) => {
    // Each command loads its modules when it runs, so that `--help` is quick.
    keepCompiled(process.env, process.platform);
    const { devCommand } = await import("./commands/dev.ts");
    const known = dev.options.flatMap(({ long }) => long ?? []);
    await devCommand(args, flags, { version, help: dev.helpInformation(), known });
  });

program
  .command("sandbox")
  .description("start only the embedded control plane, on an address and with data of your choice")
  .option("--host <address>", "the address to listen on", "127.0.0.1")
  .option("--port <number>", "the port to listen on; 0 chooses a free one", "0")
  .option("--data <folder>", "keep everything in this folder across restarts (default: in memory)")
  .option(
    "--fsync",
    "with --data: send a response when its write is on the disk (default: when the system has it)",
  )
  .option(
    "--repair",
    "with --data: leave out what is damaged, and keep a copy of it (default: refuse the folder)",
  )
  .option("--kubeconfig <file>", "where to write the kubeconfig (default: in --data, or a temporary file)")
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
  // Its flags and its help are made from its settings and those of the operators.
  .helpOption(false)
  .allowUnknownOption()
  .passThroughOptions()
  .action(async (args: readonly string[]) => {
    // An operator runs for long beside many others. Memory for new objects that does not grow takes a fifth more CPU time in
    // the first sync of a large cache, and tens of megabytes less for all time.
    setFlagsFromString("--semi-space-growth-factor=1");
    const { runCommand } = await import("./commands/run.ts");
    await runCommand(args, version);
  });

try {
  const commands = program.commands.map((command) => command.name());
  await program.parseAsync(withHelpLast(process.argv.slice(2), commands), { from: "user" });
} catch (error) {
  const { describeFailure } = await import("./failure.ts");
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}
