import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import { VirtualClock } from "@keelson/testkit";
import { expect, it, onTestFinished } from "vitest";
import { PostgresError, type PostgresLogin } from "../../src/rotation/postgres/connection.ts";
import { connectPostgres } from "../../src/rotation/postgres/pg-connection.ts";
import { certificateFor } from "../support/postgres.ts";

const password = "of-the-test";

/** A server that does what a test wants with each connection. */
async function listen(onConnection: (socket: Socket) => void = (socket) => void socket.resume()) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const login: PostgresLogin = {
    ...{ host: "127.0.0.1", port, database: "orders", user: "orders", password, tls: undefined },
  };
  return { sockets, login };
}

for (const tls of [undefined, { verifiesServer: true }])
  it(`gives up a server that does not respond after 10 s, ${tls === undefined ? "without" : "with"} TLS`, async () => {
    const clock = new VirtualClock();
    const { sockets, login } = await listen();
    const { signal } = new AbortController();
    const connecting = connectPostgres({ ...login, tls }, { clock, signal });
    const result = expect(connecting).rejects.toThrow(
      `connect to 127.0.0.1:${login.port}: there was no response within 10 s`,
    );
    await expect.poll(() => sockets.size).toBe(1);
    await clock.advance(10_000);
    await result;
    await expect.poll(() => sockets.size).toBe(0);
    expect(clock.pendingTimers).toEqual([]);
  });

it("ends at once when it is aborted, and leaves nothing open", async () => {
  const clock = new VirtualClock();
  const { sockets, login } = await listen();
  const stop = new AbortController();
  const connecting = connectPostgres(login, { clock, signal: stop.signal });
  const result = expect(connecting).rejects.toThrow("stopped");
  await expect.poll(() => sockets.size).toBe(1);
  stop.abort(new Error("stopped"));
  await result;
  await expect.poll(() => sockets.size).toBe(0);
  expect(clock.pendingTimers).toEqual([]);
});

it("does not connect at all after an abort", async () => {
  const { sockets, login } = await listen();
  const signal = AbortSignal.abort(new Error("stopped"));
  await expect(connectPostgres(login, { clock: new VirtualClock(), signal })).rejects.toThrow("stopped");
  expect(sockets.size).toBe(0);
});

it("reports a server that closes the connection, or that is none", async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const closing = await listen((socket) => socket.end());
  await expect(connectPostgres(closing.login, { clock, signal })).rejects.toThrow(PostgresError);
  const other = await listen((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await expect(connectPostgres(other.login, { clock, signal })).rejects.toThrow(PostgresError);
  expect(clock.pendingTimers).toEqual([]);
});

it("shows neither the user nor the password that a server repeats", async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const fields = `SFATAL\0C28P01\0Mno login for user "orders" with ${password}\0\0`;
  const message = Buffer.alloc(5 + fields.length);
  message.write("E", 0);
  message.writeInt32BE(4 + fields.length, 1);
  message.write(fields, 5);
  const { login } = await listen((socket) => socket.once("data", () => socket.end(message)));
  await expect(connectPostgres(login, { clock, signal })).rejects.toMatchObject({
    message: `connect to 127.0.0.1:${login.port}: no login for user [redacted] with [redacted] (28P01)`,
    sqlState: "28P01",
  });
});

for (const tls of [undefined, { verifiesServer: false }])
  it(`does not send the password in clear text, ${tls === undefined ? "without" : "with"} TLS`, async () => {
    const { certificate: cert, key } = await certificateFor("localhost");
    const passwordRequest = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
    let received = "";
    const ended = Promise.withResolvers<void>();
    const serve = (stream: Duplex): void => {
      stream.on("error", () => undefined).on("close", () => ended.resolve());
      stream.on("data", (data) => {
        received += data;
        if (received.includes("application_name")) stream.write(passwordRequest);
      });
    };
    const { login } = await listen((socket) => {
      if (tls === undefined) return serve(socket);
      socket.once("data", () => {
        socket.write("S");
        serve(new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ cert, key }) }));
      });
    });
    const { signal } = new AbortController();
    await expect(connectPostgres({ ...login, tls }, { clock: new VirtualClock(), signal })).rejects.toThrow(
      `connect to 127.0.0.1:${login.port}: the server requests the password in clear text`,
    );
    await ended.promise;
    expect(received).toContain("application_name");
    expect(received).not.toContain(password);
  });
