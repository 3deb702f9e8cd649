import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
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
    },
  };

  it.each([
    ["everything is there", { "node_modules/hull": hull }, true],
    ["a package is missing", {}, false],
    ["a package has another version", { "node_modules/hull": { ...hull, version: "0.9.0" } }, false],
    ["a package has other contents", { "node_modules/hull": { ...hull, integrity: "sha512-rotten" } }, false],
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
fs.mkdirSync("node_modules/.bin", { recursive: true });
fs.writeFileSync("node_modules/.bin/node", "#!/bin/sh\\necho v24.0.0\\n", { mode: 0o755 });
if (fs.existsSync("npm-skips-scripts")) fs.writeFileSync("node_modules/.bin/node", "", { mode: 0o755 });
fs.copyFileSync("package-lock.json", "node_modules/.package-lock.json");
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
    bootstrap: () => promisify(execFile)(process.execPath, [file("scripts/bootstrap.mjs")], { env }),
    npmCalls: async () =>
      (await readFile(file("npm-calls"), "utf8").catch(() => "")).split("\n").filter(Boolean),
  };
}

describe("the bootstrap script", () => {
  it("installs what the lockfile says, once", async () => {
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

  it("ends with npm's exit code when the installation fails, and tries again the next time", async () => {
    const { bootstrap, npmCalls, file } = await checkout();
    await writeFile(file("npm-fails"), "");
    await expect(bootstrap()).rejects.toMatchObject({ code: 7 });
    await rm(file("npm-fails"));
    await bootstrap();
    expect(await npmCalls()).toHaveLength(2);
  });

  it("says what to do when the pinned Node was not installed", async () => {
    const { bootstrap, file } = await checkout();
    await writeFile(file("npm-skips-scripts"), "");
    await expect(bootstrap()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--ignore-scripts=false"),
    });
  });

  it("says what to do when the lockfile is broken", async () => {
    const { bootstrap, file } = await checkout();
    await writeFile(file("package-lock.json"), "<<<<<<< HEAD");
    await expect(bootstrap()).rejects.toMatchObject({
      stderr: expect.stringContaining("git checkout package-lock.json"),
    });
  });
});
