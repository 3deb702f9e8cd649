import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { claimPort } from "./loopback-ports.ts";

it("gives each claimant another port, on which it can listen", async () => {
  const claims = await Promise.all(Array.from({ length: 20 }, () => claimPort()));
  onTestFinished(() => Promise.all(claims.map(({ file }) => rm(file))).then(() => undefined));
  expect(new Set(claims.map(({ port }) => port)).size).toBe(20);
  const server = createServer().listen(claims[0]?.port, "127.0.0.1");
  await once(server, "listening");
  server.close();
});

it("lies below the range that outgoing connections take ports from", async () => {
  const { port, file } = await claimPort();
  await rm(file);
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(30_000);
});

it("passes over ports that are claimed and ports that a process listens on", async () => {
  const probe = await claimPort();
  await rm(probe.file);
  const { port } = probe;
  const claimFrom = (first: number) => claimPort(() => (first - 20_000 + 0.5) / 10_000);
  const held = await claimFrom(port);
  expect(held.port).toBe(port);
  const next = await claimFrom(port);
  expect(next.port).not.toBe(port);
  await Promise.all([rm(held.file), rm(next.file)]);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  const other = await claimFrom(port);
  expect(other.port).not.toBe(port);
  await rm(other.file);
  server.close();
});
