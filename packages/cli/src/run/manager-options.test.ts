import { createClient, type Transport } from "keelson/client";
import { createMetrics, silentLogger } from "keelson/telemetry";
import { FileCertificates } from "keelson/webhook";
import { describe, expect, it } from "vitest";
import { readFlags } from "../config/read-flags.ts";
import { resolveConfig } from "../config/resolve-config.ts";
import { runSettings } from "../config/run-config.ts";
import { managerOptions } from "./manager-options.ts";

const transport: Transport = {
  send: () => Promise.reject(new Error("these tests send no request")),
  close: async () => undefined,
};

function optionsOf(...flags: readonly string[]): ReturnType<typeof managerOptions> {
  const { config } = resolveConfig([readFlags(flags, runSettings)]);
  const client = createClient({ transport });
  return managerOptions({
    config,
    operators: [],
    cluster: {
      client,
      access: {
        server: "https://api:6443",
        namespace: "ops",
        tls: async () => ({ insecure: false }),
        headers: async () => ({}),
        refused: () => undefined,
      },
      version: "v1.36.2",
      [Symbol.asyncDispose]: async () => undefined,
    },
    env: { PATH: "/usr/bin" },
    name: "keelson-gadgets",
    identity: "pod-1",
    userAgent: "keelson-gadgets/1",
    log: silentLogger,
    metrics: createMetrics({ processMetrics: false }),
    events: {
      record: () => undefined,
      flush: async () => undefined,
      stop: async () => undefined,
      drops: new Map(),
    },
    tracer: undefined,
    metricsCertificates: undefined,
  });
}

describe("the options of a manager", () => {
  it("has the access to the cluster and the environment, for programs that operators start", () => {
    const { access, env } = optionsOf();
    expect(access?.server).toBe("https://api:6443");
    expect(env).toEqual({ PATH: "/usr/bin" });
  });

  it("has all servers listen on the address", () => {
    const folder = ["--webhook-cert-dir", "/certificates"];
    const { metrics, health, webhooks } = optionsOf(
      "--bind-address",
      "127.0.0.1",
      "--health-port",
      "1",
      ...folder,
    );
    expect([metrics?.host, health?.host, webhooks?.host]).toEqual(["127.0.0.1", "127.0.0.1", "127.0.0.1"]);
    expect(health?.port).toBe(1);
    const everywhere = optionsOf(...folder);
    expect([everywhere.metrics?.host, everywhere.health?.host, everywhere.webhooks?.host]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(everywhere.webhooks?.certificates).toBeInstanceOf(FileCertificates);
  });

  it.each([[], ["--bind-address", "127.0.0.1"], ["--bind-address", "::1"], ["--metrics-auth"]])(
    "refuses to show memory without a token, whatever it listens on: %j",
    async (...flags) => {
      expect(optionsOf(...flags).debug).toBeUndefined();
      const { debug } = optionsOf("--debug", ...flags);
      const permission = await debug?.authorize({
        method: "GET",
        path: "/debug/heap",
        headers: {},
        body: (async function* () {})(),
        signal: new AbortController().signal,
      });
      expect(permission).toMatchObject({ isAllowed: false, status: 401 });
    },
  );
});
