// Runs before every npm script that needs the workspace, with nothing but Node: installs what the lockfile names,
// unless it is installed. npm then runs the script itself on the Node that the lockfile pins.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const oldestNode = 20;
const lockStaleMs = 10_000;

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage */
/** @typedef {{ packages: Record<string, LockedPackage> }} Lockfile */

/**
 * Whether every package of the lockfile is installed as the lockfile says. npm writes the list of what it installed
 * when it is done, so an interrupted installation has none. Packages for other platforms are optional and missing.
 * @param {Lockfile} wanted
 * @param {Lockfile | undefined} installed
 */
export function isInstalled(wanted, installed) {
  if (installed === undefined) return false;
  return Object.entries(wanted.packages).every(([path, { version, integrity, optional, link }]) => {
    if (!path.startsWith("node_modules/") || link) return true;
    const found = installed.packages[path];
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
 * if it exists; its holder touches it while it lives.
 * @param {URL} lock
 */
async function acquire(lock) {
  for (let told = false; ; ) {
    try {
      mkdirSync(lock);
      return;
    } catch {
      if (!told) console.error("keelson: waiting for another installation in this folder");
      told = true;
    }
    const touched = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (touched !== undefined && Date.now() - touched > lockStaleMs)
      rmSync(lock, { recursive: true, force: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param {URL} root */
async function install(root) {
  console.error("keelson: installing the workspace (npm ci)");
  // npm tells its scripts where it is; run by the same Node it needs no shell and no PATH.
  const npm = process.env.npm_execpath;
  const [command, args] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  const child = spawn(command, [...args, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: fileURLToPath(root),
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(`keelson: run npm: ${error.message}`);
      resolve(1);
    });
    child.on("exit", (code) => resolve(code ?? 1));
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
  await acquire(lock);
  const heartbeat = setInterval(() => utimesSync(lock, new Date(), new Date()), 1_000);
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
