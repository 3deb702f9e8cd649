import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { claimPort } from "./loopback-ports.ts";

const claimFile = (port: number): string => join(tmpdir(), `keelson-ports-${userInfo().uid}`, String(port));

it("gives each claimant another port, on which it can listen", async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => claimPort()));
  onTestFinished(() => Promise.all(claims.map((claim) => claim.release())).then(() => undefined));
  expect(new Set(claims.map(({ port }) => port)).size).toBe(20);
  const server = createServer().listen(claims[0]?.port, "127.0.0.1");
  await once(server, "listening");
  server.close();
});

it("lies below the range that outgoing connections take ports from", async () => {
  const claim = await claimPort();
  await claim.release();
  expect(claim.port).toBeGreaterThanOrEqual(20_000);
  expect(claim.port).toBeLessThan(30_000);
});

it("is free again after its release", async () => {
  const claim = await claimPort();
  expect(existsSync(claimFile(claim.port))).toBe(true);
  await claim.release();
  expect(existsSync(claimFile(claim.port))).toBe(false);
});

it("passes over claims of the living and ports that someone listens on, and takes over claims of the dead", async () => {
  const probe = await claimPort();
  await probe.release();
  const { port } = probe;
  const claimFrom = (first: number) => claimPort(() => (first - 20_000 + 0.5) / 10_000);
  // The claimant is alive: this very process.
  const held = await claimFrom(port);
  expect(held.port).toBe(port);
  const next = await claimFrom(port);
  expect(next.port).not.toBe(port);
  await Promise.all([held.release(), next.release()]);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  const other = await claimFrom(port);
  expect(other.port).not.toBe(port);
  await other.release();
  server.close();
  await once(server, "close");
  // No process has this number: Linux gives out at most 2^22.
  await writeFile(claimFile(port), String(2 ** 22 + 1));
  const inherited = await claimFrom(port);
  expect(inherited.port).toBe(port);
  await inherited.release();
});
