// Runs before every npm script that needs the workspace, with nothing but Node: installs what the lockfile names,
// unless it is installed. npm then runs the script itself on the Node that the lockfile pins.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";

const oldestNode = 20;
const lockStaleMs = 10_000;
/** @type {readonly NodeJS.Signals[]} */
const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage */
/** @typedef {{ packages: Record<string, LockedPackage> }} Lockfile */

/**
 * Whether every package of the lockfile is installed as in the lockfile. npm writes the list of what it installed
 * when it is done, so an interrupted installation has none. Packages for other platforms are optional and missing.
 * @param {Lockfile} wanted
 * @param {Lockfile | undefined} installed
 */
export function isInstalled(wanted, installed) {
  if (installed === undefined) return false;
  return Object.entries(wanted.packages).every(([path, { version, integrity, optional, link }]) => {
    // A workspace's own folder is there with the checkout; its link in node_modules is not.
    if (!path.includes("node_modules/")) return true;
    const found = installed.packages[path];
    if (link) return found?.link === true;
    return found === undefined
      ? optional === true
      : found.version === version && found.integrity === integrity;
  });
}

/**
 * @param {URL} file
 * @returns {Lockfile | undefined}
 */
function readLockfile(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Missing or cut off: there is no such installation.
    return undefined;
  }
}

/**
 * Waits until no other process installs into this checkout, then holds the lock. A folder, because making one fails
 * if it exists; its holder touches it while it lives. Throws if it cannot be made for another reason.
 * @param {URL} lock
 */
async function acquire(lock) {
  for (let isReported = false; ; ) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      if (!isReported) console.error("keelson: waiting for another installation in this folder");
      isReported = true;
    }
    const touched = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (touched !== undefined && Date.now() - touched > lockStaleMs)
      rmSync(lock, { recursive: true, force: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * Shows the other processes that the holder of the lock lives.
 * @param {URL} lock
 */
function touch(lock) {
  try {
    utimesSync(lock, new Date(), new Date());
  } catch {
    // Removed by hand, or by a process that took this one for dead: npm is best left to finish all the same.
  }
}

/**
 * Runs `npm ci`. A signal that would end this process ends npm first, so that nothing is left running.
 * @param {URL} root
 * @returns {Promise<number>} the exit code
 */
async function install(root) {
  console.error("keelson: installing the workspace (npm ci)");
  // npm sets a variable with its own path; run by the same Node it needs no shell and no PATH.
  const npm = process.env.npm_execpath;
  const [command, args] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const child = spawn(command, [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: fileURLToPath(root),
    stdio: ["ignore", "inherit", "inherit"],
  });
  /** @type {NodeJS.Signals | undefined} */
  let received;
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    received = signal;
    child.kill(signal);
  };
  for (const signal of endingSignals) process.on(signal, forward);
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(`keelson: run npm: ${error.message}`);
      resolve(1);
    });
    child.on("exit", (code) =>
      resolve(received === undefined ? (code ?? 1) : 128 + constants.signals[received]),
    );
  });
}

/** @param {URL} root */
function pinnedNodeRuns(root) {
  const { devDependencies } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  const node = fileURLToPath(new URL("node_modules/.bin/node", root));
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return stdout?.trim() === `v${devDependencies.node}`;
}

/**
 * @param {URL} root
 * @returns {Promise<number>} the exit code
 */
export async function bootstrap(root) {
  if (Number(process.versions.node.split(".")[0]) < oldestNode) {
    console.error(`keelson: Node ${oldestNode} or later is needed, this is ${process.version}`);
    return 1;
  }
  const wanted = readLockfile(new URL("package-lock.json", root));
  if (wanted === undefined) {
    console.error(
      "keelson: package-lock.json is missing or not JSON; restore it with: git checkout package-lock.json",
    );
    return 1;
  }
  const upToDate = () =>
    isInstalled(wanted, readLockfile(new URL("node_modules/.package-lock.json", root))) &&
    pinnedNodeRuns(root);
  if (upToDate()) return 0;
  const lock = new URL(".installing", root);
  try {
    await acquire(lock);
  } catch (error) {
    console.error(
      `keelson: create ${fileURLToPath(lock)}: ${error instanceof Error ? error.message : error}; ` +
        "make the folder writable, or install the workspace as a user who may write it",
    );
    return 1;
  }
  const heartbeat = setInterval(touch, 1_000, lock);
  try {
    if (upToDate()) return 0;
    const code = await install(root);
    if (code !== 0) return code;
    if (upToDate()) return 0;
    console.error(
      "keelson: npm ci succeeded, but the pinned Node does not run; were install scripts switched off? " +
        "Try: npm ci --ignore-scripts=false",
    );
    return 1;
  } finally {
    clearInterval(heartbeat);
    rmSync(lock, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = await bootstrap(new URL("../", import.meta.url));
}
