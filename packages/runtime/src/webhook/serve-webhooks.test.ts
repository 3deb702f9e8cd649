import { once } from "node:events";
import { Agent, request } from "node:https";
import type { TLSSocket } from "node:tls";
import { listenHttp } from "@keelson/client";
import { type ListenOptions, type ServingCertificate, systemClock } from "@keelson/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { webhookServer } from "../../test/support/webhook-server.ts";
import { issueAuthority, issueLeaf } from "./certificate-issuing.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { conversion } from "./conversion.ts";
import { serveWebhooks } from "./serve-webhooks.ts";

const life = { nowMs: systemClock.now(), lifeMs: 3_600_000 };

function sourceOf(initial: ServingCertificate): CertificateSource & { value: ServingCertificate } {
  return {
    value: initial,
    load: async () => undefined,
    current() {
      return this.value;
    },
    run: async (signal) => void (signal.aborted || (await once(signal, "abort"))),
  };
}

const Thing = { group: "example.com", version: "v1", kind: "Thing" };

async function start(source: CertificateSource, server = webhookServer()): Promise<number> {
  server.register("/ping", async () => ({ status: 200, body: "pong" }));
  const controller = new AbortController();
  const { promise: port, resolve } = Promise.withResolvers<number>();
  const run = serveWebhooks(
    { server, certificates: source, listen: listenHttp, port: 0, host: "127.0.0.1", onListening: resolve },
    controller.signal,
  );
  onTestFinished(async () => {
    controller.abort();
    await run;
  });
  return port;
}

/** The serial number of the certificate that answered. */
async function ping(port: number, ca: string, agent = new Agent({ keepAlive: false })): Promise<string> {
  const sent = request({ host: "127.0.0.1", port, path: "/ping", ca, agent });
  let serial = "";
  sent.once("socket", (socket: TLSSocket) => {
    const read = (): void => {
      serial = socket.getPeerCertificate().serialNumber;
    };
    if (socket.connecting) socket.once("secureConnect", read);
    else read();
  });
  sent.end();
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "end");
  return serial;
}

describe("serving webhooks", () => {
  it("gives new connections the new certificate, and lets old ones live", async () => {
    const authority = await issueAuthority("a", life);
    const [one, two] = await Promise.all([1, 2].map(() => issueLeaf(authority, ["127.0.0.1"], life)));
    if (one === undefined || two === undefined) throw new Error("no leaf");
    const source = sourceOf(one);
    const port = await start(source);
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => kept.destroy());
    const before = await ping(port, authority.certificate, kept);
    source.value = two;
    expect(await ping(port, authority.certificate, kept)).toBe(before);
    const after = await ping(port, authority.certificate);
    expect(after).not.toBe(before);
    expect(await ping(port, authority.certificate)).toBe(after);
  });

  it("goes on with the old certificate if the new one cannot be used", async () => {
    const authority = await issueAuthority("a", life);
    const source = sourceOf(await issueLeaf(authority, ["127.0.0.1"], life));
    const port = await start(source);
    const before = await ping(port, authority.certificate);
    source.value = { ...source.value, certificate: "broken" };
    expect(await ping(port, authority.certificate)).toBe(before);
    source.value = { certificate: source.value.certificate, key: "broken" };
    expect(await ping(port, authority.certificate)).toBe(before);
  });

  it("ends connections whose body does not come, when the time of the API server is up", async () => {
    const authority = await issueAuthority("a", life);
    const server = webhookServer({ conversions: [conversion(Thing)] });
    const port = await start(sourceOf(await issueLeaf(authority, ["127.0.0.1"], life)), server);
    const headers = { "content-type": "application/json", "content-length": 100_000 };
    const options = { host: "127.0.0.1", port, path: "/convert?timeout=200ms", ca: authority.certificate };
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const sent = request({ ...options, method: "POST", headers, agent: new Agent() });
        sent.on("error", () => undefined);
        sent.write("{");
        const [response] = await once(sent, "response");
        response.resume();
        await once(sent, "close");
        return response.statusCode;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([504]));
  });

  it("[WH6] [MG11] listens on 9443 unless told otherwise, and nowhere below 0; drains for up to 60 s", async () => {
    const asked: ListenOptions[] = [];
    const closed: number[] = [];
    const options = {
      server: webhookServer(),
      certificates: sourceOf({ certificate: "", key: "" }),
      listen: async (listening: ListenOptions) => {
        asked.push(listening);
        return { port: listening.port, close: async (graceMs: number) => void closed.push(graceMs) };
      },
    };
    const over = AbortSignal.abort();
    await serveWebhooks(options, over);
    expect(asked.map(({ port }) => port)).toEqual([9443]);
    expect(closed).toEqual([60_000]);
    await serveWebhooks({ ...options, port: -1 }, over);
    expect(asked).toHaveLength(1);
  });

  it("does not listen without a certificate", async () => {
    const certificates = {
      ...sourceOf({ certificate: "", key: "" }),
      load: () => Promise.reject(new Error("none")),
    };
    const listen = () => Promise.reject(new Error("listened"));
    await expect(
      serveWebhooks({ server: webhookServer(), certificates, listen }, new AbortController().signal),
    ).rejects.toThrow("none");
  });
});
