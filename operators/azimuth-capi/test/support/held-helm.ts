import { chmod, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** When an upgrade stops: before it has begun, or after it was done, but before that is known. */
type HoldMoment = "before" | "after";

/** A program that does what Helm does, and can be held while it installs or upgrades a release. */
export interface HeldHelm {
  /** The value for the setting `helmClient.executable`. */
  readonly executable: string;
  /** Holds upgrades from now on. */
  hold(moment: HoldMoment): Promise<void>;
  /** Whether an upgrade is held. */
  isHeld(): Promise<boolean>;
  /** Lets those go on that are held, if they still run, and all later ones. */
  release(): Promise<void>;
}

/** Writes the program into a folder. */
export async function holdableHelm(helm: string, folder: string): Promise<HeldHelm> {
  const executable = join(folder, "held-helm");
  const [before, after, held] = ["before", "after", "held"].map((name) => join(folder, name));
  const lines = [
    "#!/bin/sh",
    `if [ "$1" != upgrade ]; then exec '${helm}' "$@"; fi`,
    `while [ -f '${before}' ]; do touch '${held}'; sleep 0.05; done`,
    `'${helm}' "$@" || exit`,
    `while [ -f '${after}' ]; do touch '${held}'; sleep 0.05; done`,
    "",
  ];
  await writeFile(executable, lines.join("\n"));
  await chmod(executable, 0o755);
  return {
    executable,
    hold: (moment) => writeFile(join(folder, moment), ""),
    isHeld: () =>
      stat(held ?? "").then(
        () => true,
        () => false,
      ),
    release: async () => {
      for (const file of [before, after, held]) await rm(file ?? "", { force: true });
    },
  };
}
