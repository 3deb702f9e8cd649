import { once } from "node:events";
import { Agent, request } from "node:https";
import type { TLSSocket } from "node:tls";
import { listenHttp } from "@keelson/client";
import {
  type ListenOptions,
  type Resource,
  type ServiceResponse,
  type ServingCertificate,
  systemClock,
} from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { webhookServer } from "../../test/support/webhook-server.ts";
import { admission } from "./admission.ts";
import { issueAuthority, issueLeaf } from "./certificate-issuing.ts";
import type { CertificateSource } from "./certificate-source.ts";
import { conversion } from "./conversion.ts";
import { DuplicateWebhookPathError } from "./errors.ts";
import { serveWebhooks, type WebhookServer, type WebhookServerOptions } from "./webhook-server.ts";

const WebApp: Resource = {
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
};

const send = (server: WebhookServer, path: string): Promise<ServiceResponse> =>
  server.service({
    method: "POST",
    path,
    headers: {},
    body: (async function* () {})(),
    signal: new AbortController().signal,
  });

function recorded(options: Partial<WebhookServerOptions> = {}) {
  const observed: string[] = [];
  const server = webhookServer({
    ...options,
    observer: {
      inFlightChanged: (path, change) => observed.push(`${path} ${change}`),
      responded: (path, code, ms) => observed.push(`${path} ${code} ${ms}`),
      panicked: (path) => observed.push(`${path} panic`),
    },
  });
  return { server, observed };
}

describe("a webhook server", () => {
  it("[WH6] has a path for each sort of webhook that has a handler", () => {
    const both = admission(WebApp)
      .mutate(() => undefined)
      .validate(() => undefined);
    const other = admission({ ...WebApp, kind: "Other" }).validate(() => undefined);
    const server = webhookServer({ admissions: [both, other], conversions: [conversion(WebApp)] });
    expect(server.paths).toEqual([
      "/mutate-example-com-v1-webapp",
      "/validate-example-com-v1-webapp",
      "/validate-example-com-v1-other",
      "/convert",
    ]);
  });

  it("[WH6] refuses a path that is taken", () => {
    const one = admission(WebApp).validate(() => undefined);
    expect(() => webhookServer({ admissions: [one, one] })).toThrow(DuplicateWebhookPathError);
    const server = webhookServer({ admissions: [one] });
    expect(() => server.register("/validate-example-com-v1-webapp", async () => ({ status: 200 }))).toThrow(
      "register webhook /validate-example-com-v1-webapp: another one has this path",
    );
  });

  it("serves custom paths", async () => {
    const server = webhookServer();
    server.register("/mine", async ({ path }) => ({ status: 200, body: path }));
    expect(await send(server, "/mine?x=y")).toEqual({ status: 200, body: "/mine?x=y" });
  });

  it("responds with 404 for any other path, which is not observed", async () => {
    const { server, observed } = recorded();
    expect((await send(server, "/other")).status).toBe(404);
    expect(observed).toEqual([]);
  });

  it("observes each request", async () => {
    const clock = new VirtualClock();
    const { server, observed } = recorded({ clock });
    server.register("/slow", async () => {
      await clock.advance(25);
      return { status: 201 };
    });
    await send(server, "/slow");
    expect(observed).toEqual(["/slow 1", "/slow 201 25", "/slow -1"]);
  });

  it("[WH5] survives a handler that rejects", async () => {
    const { server, observed } = recorded({ clock: new VirtualClock() });
    server.register("/broken", () => Promise.reject(new Error("password123")));
    const response = await send(server, "/broken");
    expect(response.status).toBe(500);
    expect(response.body).not.toContain("password123");
    expect(observed).toEqual(["/broken 1", "/broken panic", "/broken 500 0", "/broken -1"]);
  });
});

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

/** The serial number of the certificate that is served. */
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
  it("serves the new certificate to new connections, and keeps old ones open", async () => {
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

  it("keeps the old certificate if the new one is invalid", async () => {
    const authority = await issueAuthority("a", life);
    const source = sourceOf(await issueLeaf(authority, ["127.0.0.1"], life));
    const port = await start(source);
    const before = await ping(port, authority.certificate);
    source.value = { ...source.value, certificate: "broken" };
    expect(await ping(port, authority.certificate)).toBe(before);
    source.value = { certificate: source.value.certificate, key: "broken" };
    expect(await ping(port, authority.certificate)).toBe(before);
  });

  it("ends requests whose body never ends at the timeout of the API server", async () => {
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

  it("[WH6] [MG11] listens on 9443 by default, and not at all for a negative port; drains for up to 60 s", async () => {
    const opened: ListenOptions[] = [];
    const closed: number[] = [];
    const options = {
      server: webhookServer(),
      certificates: sourceOf({ certificate: "", key: "" }),
      listen: async (listening: ListenOptions) => {
        opened.push(listening);
        return { port: listening.port, close: async (graceMs: number) => void closed.push(graceMs) };
      },
    };
    const over = AbortSignal.abort();
    await serveWebhooks(options, over);
    expect(opened.map(({ port }) => port)).toEqual([9443]);
    expect(closed).toEqual([60_000]);
    await serveWebhooks({ ...options, port: -1 }, over);
    expect(opened).toHaveLength(1);
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
