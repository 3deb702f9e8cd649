import type { Resource, ServiceResponse } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { webhookServer } from "../../test/support/webhook-server.ts";
import { admission } from "./admission.ts";
import { conversion } from "./conversion.ts";
import { DuplicateWebhookPathError } from "./errors.ts";
import type { WebhookServer, WebhookServerOptions } from "./webhook-server.ts";

const WebApp: Resource = {
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
};

const ask = (server: WebhookServer, path: string): Promise<ServiceResponse> =>
  server.service({
    method: "POST",
    path,
    headers: {},
    body: (async function* () {})(),
    signal: new AbortController().signal,
  });

function recorded(options: Partial<WebhookServerOptions> = {}) {
  const told: string[] = [];
  const server = webhookServer({
    ...options,
    observer: {
      inFlightChanged: (path, change) => told.push(`${path} ${change}`),
      answered: (path, code, ms) => told.push(`${path} ${code} ${ms}`),
      panicked: (path) => told.push(`${path} panic`),
    },
  });
  return { server, told };
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
    expect(await ask(server, "/mine?x=y")).toEqual({ status: 200, body: "/mine?x=y" });
  });

  it("answers 404 for any other path, of which nobody is told", async () => {
    const { server, told } = recorded();
    expect((await ask(server, "/other")).status).toBe(404);
    expect(told).toEqual([]);
  });

  it("tells of each request", async () => {
    const clock = new VirtualClock();
    const { server, told } = recorded({ clock });
    server.register("/slow", async () => {
      await clock.advance(25);
      return { status: 201 };
    });
    await ask(server, "/slow");
    expect(told).toEqual(["/slow 1", "/slow 201 25", "/slow -1"]);
  });

  it("[WH5] survives a handler that rejects", async () => {
    const { server, told } = recorded({ clock: new VirtualClock() });
    server.register("/broken", () => Promise.reject(new Error("password123")));
    const response = await ask(server, "/broken");
    expect(response.status).toBe(500);
    expect(response.body).not.toContain("password123");
    expect(told).toEqual(["/broken 1", "/broken panic", "/broken 500 0", "/broken -1"]);
  });
});
