import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:https";
import { accessFromKubeconfig, type Client, createClient, httpTransport, listenHttp } from "@keelson/client";
import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { type ServingCertificate, systemClock } from "@keelson/core";
import { ValidatingWebhookConfiguration } from "@keelson/core/kinds/admissionregistration/v1";
import { ConfigMap, Namespace, Secret } from "@keelson/core/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Logger } from "../../src/logger.ts";
import { admission } from "../../src/webhook/admission.ts";
import { keepConfigurations } from "../../src/webhook/keep-configurations.ts";
import {
  ManagedCertificates,
  type ManagedCertificatesOptions,
} from "../../src/webhook/managed-certificates.ts";
import { serveWebhooks } from "../../src/webhook/serve-webhooks.ts";
import { WebhookServer } from "../../src/webhook/webhook-server.ts";

let controlPlane: ControlPlane;
let client: Client;
let closeClient: () => Promise<void>;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  const transport = httpTransport(
    accessFromKubeconfig(controlPlane.kubeconfig, { clock: systemClock, env: {} }),
  );
  closeClient = () => transport.close();
  client = createClient({ transport });
});
afterAll(async () => {
  await closeClient?.();
  await controlPlane?.stop();
});

const secretOf = (name: string) => ({ namespace: "default", name });

function replica(name: string, options: Partial<ManagedCertificatesOptions> = {}): ManagedCertificates {
  return new ManagedCertificates({
    client,
    secret: secretOf(name),
    hosts: ["127.0.0.1"],
    inject: async () => undefined,
    intervalMs: 200,
    ...options,
  });
}

function run(certificates: ManagedCertificates): void {
  const controller = new AbortController();
  const running = certificates.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    await running;
  });
}

const serialOf = ({ certificate }: ServingCertificate): string =>
  new X509Certificate(certificate).serialNumber;
const authoritiesIn = (bundle: string): number => bundle.split("-----BEGIN CERTIFICATE-----").length - 1;

describe("managed certificates", () => {
  it("[WH9] are the same for all replicas, whoever was first", async () => {
    const replicas = Array.from({ length: 6 }, () => replica("race"));
    await Promise.all(replicas.map((each) => each.load()));
    expect(new Set(replicas.map((each) => serialOf(each.current()))).size).toBe(1);
    expect(new Set(replicas.map(({ caBundle }) => caBundle)).size).toBe(1);
    const { type, data = {} } = await client.get(Secret, secretOf("race"));
    expect(type).toBe("kubernetes.io/tls");
    expect(Buffer.from(data["ca.crt"] ?? "", "base64").toString()).toBe(replicas[0]?.caBundle);
  });

  it("[WH9] come back as they were when somebody deletes or spoils their Secret", async () => {
    const warnings: string[] = [];
    const logger: Logger = {
      debug() {},
      info() {},
      warn: (message, fields) => void warnings.push(message + JSON.stringify(fields)),
      error: (message, fields) => void warnings.push(message + JSON.stringify(fields)),
      with: () => logger,
    };
    const certificates = replica("lost", { logger });
    await certificates.load();
    const before = certificates.current();
    run(certificates);
    await client.delete(Secret, secretOf("lost"));
    const certificateInSecret = async (): Promise<string> => {
      const secret = await client.get(Secret, secretOf("lost")).catch(() => undefined);
      return Buffer.from(secret?.data?.["tls.crt"] ?? "", "base64").toString();
    };
    await expect.poll(certificateInSecret, { timeout: 5_000 }).toBe(before.certificate);
    const broken = Buffer.from(`${before.key} broken`).toString("base64");
    const spoilt = { "tls.crt": broken, "tls.key": broken };
    await client.update(Secret, { metadata: secretOf("lost"), type: "kubernetes.io/tls", data: spoilt });
    await expect.poll(certificateInSecret, { timeout: 5_000 }).toBe(before.certificate);
    expect(certificates.current()).toEqual(before);
    expect(warnings).toHaveLength(1);
    const [, line = ""] = before.key.split("\n");
    expect(warnings.join()).not.toContain(line);
  });

  it("[WH9] are read, not rotated, by a replica that does not lead", async () => {
    const leader = replica("led", { hosts: ["one"] });
    const follower = replica("led", { hosts: ["other"], mayWrite: () => false });
    await leader.load();
    run(leader);
    await follower.load();
    run(follower);
    expect(serialOf(follower.current())).toBe(serialOf(leader.current()));
    const successor = replica("led", { hosts: ["two"] });
    await successor.load();
    const before = serialOf(follower.current());
    run(successor);
    await expect.poll(() => serialOf(follower.current()), { timeout: 5_000 }).not.toBe(before);
  });

  it("refuse rules by which replicas would hear of a change too late", () => {
    expect(() => replica("x", { intervalMs: 10_000, rules: { overlapMs: 20_000 } })).toThrow(
      "a third of overlapMs",
    );
  });
});

/** Calls at a steady rate, half of them on new connections, and remembers what failed. */
class Callers {
  readonly failures: string[] = [];
  calls = 0;
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #trust: () => string;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  constructor(ports: readonly number[], perSecond: number, trust: () => string) {
    this.#trust = trust;
    const ticksPerSecond = 20;
    this.#timer = setInterval(() => {
      for (let count = 0; count < perSecond / ticksPerSecond; count++) {
        const port = ports[this.calls % ports.length] ?? 0;
        const call = this.#call(port, this.calls % 4 < 2);
        this.calls++;
        this.#open.add(call);
        void call.finally(() => this.#open.delete(call));
      }
    }, 1000 / ticksPerSecond);
  }

  async #call(port: number, isKept: boolean): Promise<void> {
    const agent = isKept ? this.#kept : new Agent({ keepAlive: false });
    try {
      const sent = request({ host: "127.0.0.1", port, path: "/ping", ca: this.#trust(), agent }).end();
      const [response] = await once(sent, "response");
      response.resume();
      await once(response, "end");
      if (response.statusCode !== 200) this.failures.push(`status ${response.statusCode}`);
    } catch (error) {
      this.failures.push(`${isKept ? "kept" : "new"}: ${String(error)}`);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    this.#kept.destroy();
  }
}

describe("a rotation of leaf and authority", () => {
  it("[WH9] fails none of 200 calls per second to two replicas, nor any of the API server's", {
    timeout: 120_000,
  }, async () => {
    const rules = { authorityLifeMs: 24_000, leafLifeMs: 8_000, overlapMs: 2_000 };
    const serials = new Set<string>();
    const bundles: string[] = [];
    const webhooks = admission(ConfigMap, {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "rotated" } },
    }).validate(() => undefined);
    await client.create(Namespace, { metadata: { name: "rotated" } });

    const serve = async (certificates: ManagedCertificates): Promise<number> => {
      const server = new WebhookServer({ admissions: [webhooks] });
      server.register("/ping", async () => {
        serials.add(serialOf(certificates.current()));
        return { status: 200 };
      });
      const { promise: listening, resolve: onListening } = Promise.withResolvers<number>();
      const controller = new AbortController();
      const options = { server, certificates, listen: listenHttp, host: "127.0.0.1", port: 0, onListening };
      const serving = serveWebhooks(options, controller.signal);
      onTestFinished(async () => {
        controller.abort();
        await serving;
      });
      return listening;
    };
    const follower = replica("rotated", { rules, intervalMs: 400, mayWrite: () => false });
    const followerPort = await serve(follower);
    const keep = keepConfigurations(client, {
      name: "rotated",
      endpoint: { url: `https://127.0.0.1:${followerPort}` },
      admissions: [webhooks],
    });
    const leader = replica("rotated", {
      rules,
      intervalMs: 400,
      inject: async (caBundle, signal) => {
        await keep(caBundle, signal);
        if (bundles.at(-1) !== caBundle) bundles.push(caBundle);
      },
    });
    const leaderPort = await serve(leader);
    await expect.poll(() => bundles, { timeout: 10_000 }).toHaveLength(1);

    const refusals: string[] = [];
    const callers = new Callers([leaderPort, followerPort], 200, () => bundles.at(-1) ?? "");
    const hasChangedAuthority = (): boolean =>
      bundles.length >= 3 && authoritiesIn(bundles.at(-1) ?? "") === 1;
    const startedMs = systemClock.monotonicNow();
    while (!hasChangedAuthority() && systemClock.monotonicNow() - startedMs < 60_000) {
      const write = client.create(
        ConfigMap,
        { metadata: { namespace: "rotated", generateName: "x-" } },
        { dryRun: true },
      );
      await write.catch((error: unknown) => refusals.push(String(error)));
    }
    const tookSeconds = (systemClock.monotonicNow() - startedMs) / 1000;
    await callers.stop();

    expect(callers.failures).toEqual([]);
    expect(refusals).toEqual([]);
    expect(bundles.map(authoritiesIn)).toEqual([1, 2, 1]);
    expect(bundles[2]).not.toBe(bundles[0]);
    expect(serials.size).toBeGreaterThanOrEqual(4);
    expect(callers.calls / tookSeconds).toBeGreaterThan(150);
    const { webhooks: [webhook] = [] } = await client.get(ValidatingWebhookConfiguration, {
      name: "rotated",
    });
    expect(Buffer.from(webhook?.clientConfig.caBundle ?? "", "base64").toString()).toBe(bundles[2]);
  });
});
