import { rename } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { errorCode } from "@keelson/core";
import { describeEnd, onAbort, type ProcessEnd, spawnGuarded } from "../process/guarded-process.ts";
import { type Installation, SourceFailure } from "./install.ts";
import type { Release } from "./release.ts";

/** The go module whose tools are the five programs. */
const moduleFolder = fileURLToPath(new URL("../../go", import.meta.url));
const errorLines = 15;

/**
 * Builds the five programs with the Go that is on the machine. The compiler's own cache is kept, so a build that was
 * interrupted goes on where it stopped.
 */
export async function buildWithGo(installation: Installation): Promise<void> {
  const { staging, release, onProgress } = installation;
  onProgress("asking Go what there is to build");
  const flags = ["-trimpath", "-buildvcs=false", "-ldflags", linkerFlags(release)];
  // `Stale`, listed with the flags of the build, is true for the packages that the build will compile.
  const listing = ["list", "-deps", ...flags, "-f", "{{if .Stale}}{{.ImportPath}}{{end}}", "tool"];
  let toCompile = 0;
  let downloads = 0;
  await runGo(installation, listing, {
    onStdout: () => {
      toCompile += 1;
    },
    onStderr: (line) => {
      if (line.startsWith("go: downloading ")) onProgress(`downloading Go modules: ${++downloads}`);
    },
  });
  let compiled = 0;
  await runGo(installation, ["build", "-v", ...flags, "-o", `${staging}/`, "tool"], {
    onStdout: () => undefined,
    // With -v the build names each package as it is compiled.
    onStderr: () => {
      compiled = Math.min(compiled + 1, toCompile);
      onProgress(`building Kubernetes ${release.kubernetes}: package ${compiled} of ${toCompile}`);
    },
  });
  // Go names a program after the last part of its import path, which for etcd is `server`.
  await rename(join(staging, "server"), join(staging, "etcd"));
}

/** Without these the programs would call themselves v0.0.0. */
function linkerFlags(release: Release): string {
  const [major, minor] = release.kubernetes.slice(1).split(".");
  const facts = { gitVersion: release.kubernetes, gitMajor: major, gitMinor: minor, gitTreeState: "clean" };
  const packages = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"];
  const assignments = packages.flatMap((path) =>
    Object.entries(facts).map(([name, value]) => `-X ${path}.${name}=${value}`),
  );
  return ["-s", "-w", ...assignments].join(" ");
}

interface LineListeners {
  readonly onStdout: (line: string) => void;
  readonly onStderr: (line: string) => void;
}

async function runGo(
  installation: Installation,
  args: readonly string[],
  listeners: LineListeners,
): Promise<void> {
  const { guardian, signal, platform } = installation;
  signal?.throwIfAborted();
  // The user's workspace and flags are for the user's code. A static build runs on every Linux of this platform.
  const env = {
    ...installation.env,
    // What an interrupted build leaves goes with the staging folder.
    GOTMPDIR: installation.staging,
    GOWORK: "off",
    GOFLAGS: "",
    CGO_ENABLED: "0",
    GOOS: platform.os,
    GOARCH: platform.arch,
  };
  const go = spawnGuarded(guardian, "go", args, {
    cwd: moduleFolder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  using _ = onAbort(signal, () => go.signal("SIGKILL"));
  const lastLines: string[] = [];
  const onStderr = (line: string): void => {
    lastLines.push(line);
    if (lastLines.length > errorLines) lastLines.shift();
    listeners.onStderr(line);
  };
  const [end] = await Promise.all([
    go.ended,
    eachLine(go.child.stdout, listeners.onStdout),
    eachLine(go.child.stderr, onStderr),
  ]);
  signal?.throwIfAborted();
  if (end.kind === "exit" && end.code === 0) return;
  throw new SourceFailure(goFailure(args, end, lastLines));
}

function goFailure(args: readonly string[], end: ProcessEnd, lastLines: readonly string[]): string {
  if (end.kind === "spawn-error" && errorCode(end.error) === "ENOENT") {
    return "Go is not installed";
  }
  return [`go ${args[0]} ended with ${describeEnd(end)}`, ...lastLines].join("\n      ");
}

async function eachLine(stream: Readable | null, listener: (line: string) => void): Promise<void> {
  if (stream === null) return;
  for await (const line of createInterface({ input: stream })) listener(line);
}
