import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startOwner } from "../../test/support/owner-process.ts";
import { expectNothingLeft, processesWith } from "../../test/support/processes.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { spawnGuarded } from "./guarded-process.ts";
import { Guardian } from "./guardian.ts";

/** A shell with a child of its own, both recognisable by the folder in their command lines. */
const family = (folder: string): readonly string[] => ["-c", `sleep 1000 & wait # ${folder}`];

async function guardedFolder(): Promise<string> {
  const folder = join(await tempFolder(), "guarded");
  await mkdir(folder);
  return folder;
}

describe("a guardian", () => {
  it("ends the whole family and removes the folder when it is dismissed", async () => {
    const folder = await guardedFolder();
    const guardian = new Guardian(folder);
    const shell = spawnGuarded(guardian, "sh", family(folder), { stdio: "ignore" });
    expect(await processesWith(folder)).toContain(shell.child.pid);
    await guardian.dismiss();
    await expect(shell.ended).resolves.toEqual({ kind: "signal", signal: "SIGKILL" });
    await expectNothingLeft(folder);
  });

  it("does not signal a process that has ended, even if another process has its number now", async () => {
    const folder = await guardedFolder();
    const guardian = new Guardian(folder);
    // Started outside the guardian's watch; then its number is watched and forgotten.
    const bystander = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    guardian.watch(bystander.pid ?? 0);
    guardian.forget(bystander.pid ?? 0);
    await guardian.dismiss();
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
    expect(bystander.kill("SIGKILL")).toBe(true);
  });

  it.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)(
    "cleans up after an owner that died of %s",
    async (signal) => {
      const folder = await guardedFolder();
      const owner = startOwner("guarded-owner.ts", [folder]);
      await once(owner.stdout, "data");
      expect(await processesWith(`wait # ${folder}`)).not.toEqual([]);
      owner.kill(signal);
      await once(owner, "exit");
      await expectNothingLeft(folder);
    },
  );

  it("does not keep its owner alive", async () => {
    const folder = await guardedFolder();
    const owner = startOwner("guarded-owner.ts", [folder, "and-return"]);
    await expect(once(owner, "exit")).resolves.toEqual([0, null]);
    await expectNothingLeft(folder);
  });
});

describe("a guarded process", () => {
  it("reports how it ended", async () => {
    const guardian = new Guardian(await guardedFolder());
    const failing = spawnGuarded(guardian, "sh", ["-c", "exit 3"], { stdio: "ignore" });
    await expect(failing.ended).resolves.toEqual({ kind: "exit", code: 3 });
    const missing = spawnGuarded(guardian, "/nowhere/program", [], { stdio: "ignore" });
    await expect(missing.ended).resolves.toMatchObject({ kind: "spawn-error" });
    await guardian.dismiss();
  });

  it("can be ended after it has ended", async () => {
    const folder = await guardedFolder();
    const guardian = new Guardian(folder);
    const short = spawnGuarded(guardian, "true", [], { stdio: "ignore" });
    await short.ended;
    await short.end("SIGKILL");
    await guardian.dismiss();
    expect(existsSync(folder)).toBe(false);
  });
});
