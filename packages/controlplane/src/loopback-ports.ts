import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode } from "@keelson/core";
import { NoFreePortError } from "./errors.ts";

/** Below the range from which Linux and macOS take ports for outgoing connections, above the well-known ones. */
const firstPort = 20_000;
const portCount = 10_000;

/** A port on 127.0.0.1 that no other control plane of this user takes while the file exists. */
export interface ClaimedPort {
  readonly port: number;
  /** The process that claimed the port removes the file at its end, or its guardian does. */
  readonly file: string;
}

/**
 * Claims a free port. To get a free one from the system is not enough: between that and the moment when the
 * component binds it, and again while a component restarts, another process may take it. So a claim is a file named
 * after the port, with the claimant's process number in it for people. A claim is never taken over: two who did so at
 * the same time would both have it.
 */
export async function claimPort(random: () => number = Math.random): Promise<ClaimedPort> {
  const claims = join(tmpdir(), `keelson-ports-${process.getuid?.() ?? "any"}`);
  await mkdir(claims, { recursive: true });
  const offset = Math.floor(random() * portCount);
  for (let step = 0; step < portCount; step++) {
    const port = firstPort + ((offset + step) % portCount);
    const file = join(claims, String(port));
    if (!(await createClaim(file))) continue;
    if (await canListen(port)) return { port, file };
    await rm(file, { force: true });
  }
  throw new NoFreePortError(claims);
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
