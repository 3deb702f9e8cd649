import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempFolder } from "../packages/controlplane/test/support/temp-folder.ts";
import { isInstalled } from "./bootstrap.mjs";

const hull = { version: "1.0.0", integrity: "sha512-hull" };

describe("whether the workspace is installed", () => {
  const wanted = {
    packages: {
      "": {},
      "packages/core": { version: "0.1.0" },
      "node_modules/@keelson/core": { link: true },
      "node_modules/hull": hull,
      "node_modules/hull-for-another-platform": { ...hull, optional: true },
      "packages/core/node_modules/hull": hull,
    },
  };
  const everything = {
    "node_modules/@keelson/core": { link: true },
    "node_modules/hull": hull,
    "packages/core/node_modules/hull": hull,
  };
  const without = (path: string) =>
    Object.fromEntries(Object.entries(everything).filter(([found]) => found !== path));

  it.each([
    ["everything is installed", everything, true],
    ["a package is missing", without("node_modules/hull"), false],
    [
      "a package has another version",
      { ...everything, "node_modules/hull": { ...hull, version: "0.9.0" } },
      false,
    ],
    [
      "a package has other contents",
      { ...everything, "node_modules/hull": { ...hull, integrity: "sha512-rotten" } },
      false,
    ],
    ["a workspace is not linked", without("node_modules/@keelson/core"), false],
    [
      "a package stands where a workspace is linked",
      { ...everything, "node_modules/@keelson/core": hull },
      false,
    ],
    ["a workspace's own package is missing", without("packages/core/node_modules/hull"), false],
  ])("is decided when %s", (_, packages, expected) => {
    expect(isInstalled(wanted, { packages })).toBe(expected);
  });

  it("is no when nothing was ever installed to the end", () => {
    expect(isInstalled(wanted, undefined)).toBe(false);
  });
});

/** Does what `npm ci` does as far as the script can see it, and counts its calls. */
const fakeNpm = `
const fs = require("node:fs");
fs.appendFileSync("npm-calls", process.argv.slice(2).join(" ") + "\\n");
if (fs.existsSync("npm-fails")) process.exit(7);
if (fs.existsSync("npm-hangs")) {
  fs.writeFileSync("npm-pid", String(process.pid));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000);
}
if (fs.existsSync("npm-outlives-the-lock")) {
  fs.rmSync(".installing", { recursive: true });
  // Longer than the time after which the holder of the lock touches it again.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
}
fs.mkdirSync("node_modules/.bin", { recursive: true });
fs.writeFileSync("node_modules/.bin/node", "#!/bin/sh\\necho v24.0.0\\n", { mode: 0o755 });
if (fs.existsSync("npm-skips-scripts")) fs.writeFileSync("node_modules/.bin/node", "", { mode: 0o755 });
fs.copyFileSync("package-lock.json", "node_modules/.package-lock.json");
`;

/** Makes a folder as in a checkout that may not be written, whichever user runs the tests. */
const refuseFolders = `
const fs = require("node:fs");
fs.mkdirSync = (path) => {
  throw Object.assign(new Error("EACCES: permission denied, mkdir"), { code: "EACCES" });
};
require("node:module").syncBuiltinESMExports();
`;

async function checkout() {
  const folder = await tempFolder();
  const file = (name: string): string => join(folder, name);
  await mkdir(file("scripts"));
  await copyFile(fileURLToPath(new URL("./bootstrap.mjs", import.meta.url)), file("scripts/bootstrap.mjs"));
  await writeFile(file("npm.cjs"), fakeNpm);
  await writeFile(file("package.json"), JSON.stringify({ devDependencies: { node: "24.0.0" } }));
  await writeFile(file("package-lock.json"), JSON.stringify({ packages: { "node_modules/hull": hull } }));
  const env = { ...process.env, npm_execpath: file("npm.cjs") };
  return {
    file,
    bootstrap: (...nodeOptions: string[]) =>
      promisify(execFile)(process.execPath, [...nodeOptions, file("scripts/bootstrap.mjs")], {
        env,
        timeout: 4_000,
      }),
    start: () => spawn(process.execPath, [file("scripts/bootstrap.mjs")], { env, stdio: "ignore" }),
    npmCalls: async () =>
      (await readFile(file("npm-calls"), "utf8").catch(() => "")).split("\n").filter(Boolean),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("the bootstrap script", () => {
  it("installs what the lockfile lists, once", async () => {
    const { bootstrap, npmCalls } = await checkout();
    await bootstrap();
    await bootstrap();
    expect(await npmCalls()).toEqual([expect.stringMatching(/^ci /)]);
  });

  it("installs again when the lockfile has changed", async () => {
    const { bootstrap, npmCalls, file } = await checkout();
    await bootstrap();
    const packages = { "node_modules/hull": { ...hull, version: "1.0.1" } };
    await writeFile(file("package-lock.json"), JSON.stringify({ packages }));
    await bootstrap();
    expect(await npmCalls()).toHaveLength(2);
  });

  it("installs once when two start at the same time", async () => {
    const { bootstrap, npmCalls } = await checkout();
    await Promise.all([bootstrap(), bootstrap()]);
    expect(await npmCalls()).toHaveLength(1);
  });

  it("takes over from an installation that was killed", async () => {
    const { bootstrap, npmCalls, file } = await checkout();
    await mkdir(file(".installing"));
    await utimes(file(".installing"), new Date(0), new Date(0));
    await bootstrap();
    expect(await npmCalls()).toHaveLength(1);
  });

  it("explains what to do when the checkout may not be written", async () => {
    const { bootstrap, npmCalls, file } = await checkout();
    await writeFile(file("refuse-folders.cjs"), refuseFolders);
    await expect(bootstrap("--require", file("refuse-folders.cjs"))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^keelson: create .*\.installing: EACCES.*; make the folder writable/m),
    });
    expect(await npmCalls()).toEqual([]);
  });

  it("finishes an installation whose lock was taken away", async () => {
    const { bootstrap, npmCalls, file } = await checkout();
    await writeFile(file("npm-outlives-the-lock"), "");
    await bootstrap();
    expect(await npmCalls()).toHaveLength(1);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends npm and frees the lock on %s", async (signal) => {
    const { start, file } = await checkout();
    await writeFile(file("npm-hangs"), "");
    const script = start();
    const readPid = () => readFile(file("npm-pid"), "utf8").catch(() => "");
    await expect.poll(readPid, { timeout: 4_000 }).toMatch(/^\d+$/);
    const npmPid = Number(await readPid());
    onTestFinished(() => void (isAlive(npmPid) && process.kill(npmPid, "SIGKILL")));
    script.kill(signal);
    expect(await once(script, "exit")).toEqual([128 + constants.signals[signal], null]);
    expect(isAlive(npmPid)).toBe(false);
    expect(existsSync(file(".installing"))).toBe(false);
  });

  it("ends with npm's exit code when the installation fails, and tries again the next time", async () => {
    const { bootstrap, npmCalls, file } = await checkout();
    await writeFile(file("npm-fails"), "");
    await expect(bootstrap()).rejects.toMatchObject({ code: 7 });
    await rm(file("npm-fails"));
    await bootstrap();
    expect(await npmCalls()).toHaveLength(2);
  });

  it("explains what to do when the pinned Node was not installed", async () => {
    const { bootstrap, file } = await checkout();
    await writeFile(file("npm-skips-scripts"), "");
    await expect(bootstrap()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--ignore-scripts=false"),
    });
  });

  it("explains what to do when the lockfile is broken", async () => {
    const { bootstrap, file } = await checkout();
    await writeFile(file("package-lock.json"), "<<<<<<< HEAD");
    await expect(bootstrap()).rejects.toMatchObject({
      stderr: expect.stringContaining("git checkout package-lock.json"),
    });
  });
});
