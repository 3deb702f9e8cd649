import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { errorCode } from "@keelson/core";

/** Below the range from which Linux and macOS take ports for outgoing connections, above the well-known ones. */
const firstPort = 20_000;
const portCount = 10_000;

/** A port on 127.0.0.1 that no other control plane of this user takes until it is released. */
export interface ClaimedPort {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Claims a free port. Asking the system for a free one is not enough: between the answer and the moment when the
 * component binds it, and again while a component restarts, someone else may take it. So a claim is a file named
 * after the port that holds the claimant's process number; the claim of a process that is gone is void.
 */
export async function claimPort(random: () => number = Math.random): Promise<ClaimedPort> {
  const claims = join(tmpdir(), `keelson-ports-${userInfo().uid}`);
  await mkdir(claims, { recursive: true });
  const offset = Math.floor(random() * portCount);
  for (let step = 0; step < portCount; step++) {
    const port = firstPort + ((offset + step) % portCount);
    const file = join(claims, String(port));
    if (!(await tryClaim(file))) continue;
    if (await canListen(port)) return { port, release: () => rm(file, { force: true }) };
    await rm(file, { force: true });
  }
  throw new Error(
    `claim a port: all of ${firstPort} to ${firstPort + portCount - 1} are taken; see ${claims}`,
  );
}

async function tryClaim(file: string): Promise<boolean> {
  if (await createClaim(file)) return true;
  const claimant = Number(await readFile(file, "utf8").catch(() => ""));
  if (claimant === 0 || isAlive(claimant)) return false;
  await rm(file, { force: true });
  return createClaim(file);
}

async function createClaim(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return errorCode(error) === "EPERM";
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
