import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A program that does what Helm does, and remembers how it was called. */
export interface RecordedHelm {
  /** The value for the setting `helmClient.executable`. */
  readonly executable: string;
  /** The arguments of all calls so far, each in one line. */
  calls(): Promise<readonly string[]>;
  /** Lets every call fail with this message, until it is called without one. */
  fail(message?: string): Promise<void>;
}

/** Writes the program into a folder. */
export async function recordHelm(helm: string, folder: string): Promise<RecordedHelm> {
  const executable = join(folder, "helm");
  const record = join(folder, "helm-calls");
  const failure = join(folder, "helm-failure");
  const lines = [
    "#!/bin/sh",
    // One write for each call: several may run at once.
    `printf '%s\\n' "$*" >> '${record}'`,
    `if [ -f '${failure}' ]; then cat '${failure}' >&2; exit 1; fi`,
    `exec '${helm}' "$@"`,
    "",
  ];
  await writeFile(executable, lines.join("\n"));
  await chmod(executable, 0o755);
  await writeFile(record, "");
  return {
    executable,
    calls: async () => (await readFile(record, "utf8")).split("\n").slice(0, -1),
    fail: async (message) => {
      await (message === undefined ? rm(failure, { force: true }) : writeFile(failure, message));
    },
  };
}
