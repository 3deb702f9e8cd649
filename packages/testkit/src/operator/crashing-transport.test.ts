import type { TransportRequest, TransportResponse } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { ScriptedTransport } from "../../test/support/scripted-transport.ts";
import { crashingTransport } from "./crashing-transport.ts";

const read: TransportRequest = { method: "GET", path: "/api/v1/pods", headers: {}, isStream: false };
const watch: TransportRequest = { ...read, path: "/api/v1/pods?watch=true", isStream: true };
const remove = (name: string): TransportRequest => ({
  ...read,
  method: "DELETE",
  path: `/api/v1/namespaces/shop/pods/${name}`,
});

async function textOf({ body }: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Whether it has settled by the time that everything which can happen at once has happened. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return !isSettled;
}

describe("connections that are alive", () => {
  it("pass what is sent and what is answered", async () => {
    const inner = new ScriptedTransport("{}");
    const transport = crashingTransport(inner);
    expect(await textOf(await transport.send(remove("a")))).toBe("{}\n");
    expect(transport.crashed.aborted).toBe(false);
    expect(transport.crashedAt).toBeUndefined();
    await transport.close();
    expect(inner.isClosed).toBe(true);
  });
});

describe("connections that die after a write", () => {
  it("let the server execute it, and drop the response", async () => {
    const inner = new ScriptedTransport("{}");
    const transport = crashingTransport(inner, { atWrite: 2 });
    await textOf(await transport.send(read));
    await textOf(await transport.send(remove("a")));
    const write = transport.send(remove("b"));
    expect(await isPending(write)).toBe(true);
    expect(inner.received.map(({ path }) => path)).toEqual([read.path, remove("a").path, remove("b").path]);
    expect(transport.crashedAt).toEqual({ verb: "delete", resource: "pods", namespace: "shop", name: "b" });
    expect(transport.crashed.aborted).toBe(true);
    expect(inner.openBodies).toBe(0);
  });

  it("execute the write even if the sender has given up", async () => {
    const inner = new ScriptedTransport("{}");
    const transport = crashingTransport(inner, { atWrite: 1 });
    const caller = new AbortController();
    const write = transport.send({ ...remove("a"), signal: caller.signal });
    expect(await isPending(write)).toBe(true);
    caller.abort(new Error("enough"));
    await expect(write).rejects.toThrow("enough");
    expect(inner.received.map(({ signal }) => signal)).toEqual([undefined]);
  });

  it("refuse everything from then on", async () => {
    const inner = new ScriptedTransport("{}");
    const transport = crashingTransport(inner, { atWrite: 1 });
    expect(await isPending(transport.send(remove("a")))).toBe(true);
    for (const request of [read, watch, remove("b")])
      await expect(transport.send(request)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(inner.received).toHaveLength(1);
  });

  it("break the watches that are open", async () => {
    const inner = new ScriptedTransport("{}");
    const transport = crashingTransport(inner, { atWrite: 1 });
    const watching = textOf(await transport.send(watch));
    expect(await isPending(watching)).toBe(true);
    expect(await isPending(transport.send(remove("a")))).toBe(true);
    await expect(watching).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(inner.openBodies).toBe(0);
  });
});

describe("connections that die before a write", () => {
  it("keep it from the server", async () => {
    const inner = new ScriptedTransport("{}");
    const transport = crashingTransport(inner, { atWrite: 1, moment: "before" });
    expect(await isPending(transport.send(remove("a")))).toBe(true);
    expect(inner.received).toEqual([]);
    expect(transport.crashedAt).toMatchObject({ name: "a" });
  });
});

describe("connections that are killed", () => {
  it("break what is under way, and have died of no write", async () => {
    const inner = new ScriptedTransport("{}");
    const transport = crashingTransport(inner);
    const watching = textOf(await transport.send(watch));
    transport.crash();
    transport.crash();
    await expect(watching).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(transport.crashedAt).toBeUndefined();
    await expect(transport.send(read)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
