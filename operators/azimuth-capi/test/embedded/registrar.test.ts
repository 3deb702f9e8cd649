import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { systemClock } from "keelson";
import { afterEach, beforeEach, expect, it } from "vitest";
import { reserve } from "../../src/zenith/registrar.ts";

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
const never = new AbortController().signal;

const requests: { url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
let respond: (response: ServerResponse) => void = () => undefined;
const server = createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  requests.push({ url: `${request.method} ${request.url}`, headers: request.headers, body });
  respond(response);
});
let address = "";

beforeEach(async () => {
  requests.length = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const listening = server.address();
  if (listening === null || typeof listening === "string") throw new Error("the server has no port");
  address = `127.0.0.1:${listening.port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const call = (url = `http://${address}`, signal = never) =>
  reserve(url, key, { fetch, clock: systemClock }, signal);

it("B.6: reserves a place over HTTP, and keeps no connection", async () => {
  respond = (response) =>
    response.setHeader("content-type", "application/json").end('{"subdomain":"a","fqdn":"a.b"}');
  expect(await call(`http://me:secret@${address}/base/`)).toEqual({ subdomain: "a", fqdn: "a.b" });
  expect(requests).toMatchObject([
    {
      url: "POST /base/admin/reserve",
      headers: { connection: "close", authorization: `Basic ${Buffer.from("me:secret").toString("base64")}` },
      body: JSON.stringify({ public_keys: [key] }),
    },
  ]);
});

it("does not follow a redirect, which would send the key elsewhere", async () => {
  respond = (response) => response.writeHead(307, { location: `http://${address}/elsewhere` }).end();
  await expect(call()).rejects.toMatchObject({ status: 307 });
  expect(requests).toHaveLength(1);
});

it("says why a registrar was not reached", async () => {
  respond = (response) => response.destroy();
  await expect(call()).rejects.toThrow(`at the registrar ${address}: it was not reached: UND_ERR_SOCKET`);
  await expect(call("http://127.0.0.1:1")).rejects.toThrow("it was not reached: ");
});

it("ends a request when the operator stops", async () => {
  const stop = new AbortController();
  const isClosed = Promise.withResolvers<void>();
  respond = (response) => {
    response.on("close", isClosed.resolve);
    stop.abort(new Error("the operator stops"));
  };
  await expect(call(undefined, stop.signal)).rejects.toThrow("the operator stops");
  await isClosed.promise;
});
