import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:https";
import {
  accessFromKubeconfig,
  type Client,
  createClient,
  describeCall,
  httpTransport,
  listenHttp,
  mergePatch,
} from "@keelson/client";
import { type ServingCertificate, systemClock } from "@keelson/core";
import { ValidatingWebhookConfiguration } from "@keelson/core/kinds/admissionregistration/v1";
import { ConfigMap, Namespace, Secret } from "@keelson/core/kinds/core/v1";
import { type Cluster, RecordingLogger, startCluster, VirtualClock } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Logger } from "../../src/logger.ts";
import { admission } from "../../src/webhook/admission.ts";
import { materialToData } from "../../src/webhook/certificate-material.ts";
import { createMaterial, takeStep } from "../../src/webhook/certificate-rotation.ts";
import {
  ManagedCertificates,
  type ManagedCertificatesOptions,
} from "../../src/webhook/managed-certificates.ts";
import { keepConfigurations } from "../../src/webhook/webhook-configurations.ts";
import { serveWebhooks, WebhookServer } from "../../src/webhook/webhook-server.ts";

let controlPlane: Cluster;
let client: Client;
let closeClient: () => Promise<void>;

beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
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

/** A client that records its writes. */
function recording(): { readonly client: Client; readonly writes: string[] } {
  const writes: string[] = [];
  const recorded = client.with((next) => ({
    ...next,
    json: (call) => {
      if (call.verb !== "get") writes.push(describeCall(call));
      return next.json(call);
    },
  }));
  return { client: recorded, writes };
}

const stepsIn = (lines: RecordingLogger["lines"]): unknown[] =>
  lines.flatMap(({ fields }) => fields.step ?? []);

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
  it("[WH9] are the same for all replicas, whichever was first", async () => {
    const replicas = Array.from({ length: 6 }, () => replica("race"));
    await Promise.all(replicas.map((each) => each.load()));
    expect(new Set(replicas.map((each) => serialOf(each.current()))).size).toBe(1);
    expect(new Set(replicas.map(({ caBundle }) => caBundle)).size).toBe(1);
    const { type, data = {} } = await client.get(Secret, secretOf("race"));
    expect(type).toBe("kubernetes.io/tls");
    expect(Buffer.from(data["ca.crt"] ?? "", "base64").toString()).toBe(replicas[0]?.caBundle);
  });

  it("[WH9] are restored when their Secret is deleted or overwritten", async () => {
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
    await expect.poll(certificateInSecret, { timeout: 20_000 }).toBe(before.certificate);
    const broken = Buffer.from(`${before.key} broken`).toString("base64");
    const spoilt = { "tls.crt": broken, "tls.key": broken };
    await client.update(Secret, { metadata: secretOf("lost"), type: "kubernetes.io/tls", data: spoilt });
    await expect.poll(certificateInSecret, { timeout: 20_000 }).toBe(before.certificate);
    expect(certificates.current()).toEqual(before);
    expect(warnings).toHaveLength(1);
    const [, line = ""] = before.key.split("\n");
    expect(warnings.join()).not.toContain(line);
  });

  it("[WH9] are read, and neither rotated nor repaired, by a replica that does not lead", async () => {
    const { client: watched, writes } = recording();
    const logger = new RecordingLogger();
    const { lines } = logger;
    const injected: string[] = [];
    let reads = 0;
    const leader = replica("led", { hosts: ["one"] });
    const follower = replica("led", {
      client: watched,
      hosts: ["other"],
      mayWrite: () => false,
      inject: async (bundle) => void injected.push(bundle),
      observer: { read: () => void reads++, readFailed: () => undefined },
      logger,
    });
    await leader.load();
    await follower.load();
    run(follower);
    expect(serialOf(follower.current())).toBe(serialOf(leader.current()));
    // Twice: the second read starts after the first has ended.
    const nextRead = async (): Promise<void> => {
      const before = reads;
      await expect.poll(() => reads, { timeout: 20_000 }).toBeGreaterThan(before + 1);
    };
    await nextRead();
    const successor = replica("led", { hosts: ["two"] });
    await successor.load();
    const before = serialOf(follower.current());
    run(successor);
    await expect.poll(() => serialOf(follower.current()), { timeout: 20_000 }).not.toBe(before);
    await nextRead();
    expect({ writes, injected, lines }).toEqual({ writes: [], injected: [], lines: [] });
  });

  it("[WH9] are waited for by a replica that does not lead, which writes nothing", async () => {
    const { client: watched, writes } = recording();
    const logger = new RecordingLogger();
    const { lines } = logger;
    let reads = 0;
    const follower = replica("awaited", {
      client: watched,
      mayWrite: () => false,
      logger,
      observer: { read: () => void reads++, readFailed: () => undefined },
    });
    const controller = new AbortController();
    const abandoned = expect(follower.load(controller.signal)).rejects.toThrow("enough");
    await expect.poll(() => reads, { timeout: 20_000 }).toBeGreaterThan(2);
    controller.abort(new Error("enough"));
    await abandoned;
    expect(lines.map(({ message }) => message)).toEqual([expect.stringContaining("waiting for the leader")]);

    const loaded = follower.load();
    const leader = replica("awaited");
    await leader.load();
    await loaded;
    expect(serialOf(follower.current())).toBe(serialOf(leader.current()));

    run(follower);
    await client.patch(Secret, secretOf("awaited"), mergePatch({ data: { "authorities.json": "e30=" } }));
    await expect.poll(() => lines, { timeout: 20_000 }).toHaveLength(2);
    await client.delete(Secret, secretOf("awaited"));
    const before = reads;
    await expect.poll(() => reads, { timeout: 20_000 }).toBeGreaterThan(before + 1);
    expect(serialOf(follower.current())).toBe(serialOf(leader.current()));
    expect(writes).toEqual([]);
  });

  it("[WH9] are issued by a replica that waited, as soon as it leads", async () => {
    let leads = false;
    const certificates = replica("elected", { mayWrite: () => leads });
    const loaded = certificates.load();
    leads = true;
    await loaded;
    await client.get(Secret, secretOf("elected"));
  });

  it("[WH9] are issued again after a replica whose clock was far ahead has issued them", async () => {
    const ahead = { ...systemClock, now: () => systemClock.now() + 2 * 365 * 86_400_000 };
    await replica("ahead", { clock: ahead }).load();
    const logger = new RecordingLogger();
    const { lines } = logger;
    const certificates = replica("ahead", { logger });
    await certificates.load();
    const isValid = (): boolean =>
      Date.parse(new X509Certificate(certificates.current().certificate).validFrom) <= systemClock.now();
    expect(isValid()).toBe(false);
    run(certificates);
    await expect.poll(isValid, { timeout: 20_000 }).toBe(true);
    expect(stepsIn(lines)).toEqual(["create"]);
    expect(lines[0]?.message).toContain("compare the clocks of the replicas");
  });

  it("[WH9] for an IPv6 address are issued once", async () => {
    const logger = new RecordingLogger();
    const { lines } = logger;
    let injections = 0;
    const certificates = replica("ipv6", {
      hosts: ["::1", "FE80::0a"],
      logger,
      inject: async () => void injections++,
    });
    await certificates.load();
    run(certificates);
    await expect.poll(() => injections, { timeout: 20_000 }).toBeGreaterThan(2);
    expect(lines).toEqual([]);
  });

  it("execute no step twice in a row, and log one that does not help", async () => {
    const logger = new RecordingLogger();
    const { lines } = logger;
    // As OpenSSL shows it, a name with a comma is not what it was.
    const certificates = replica("helpless", { hosts: ["a,b"], logger, intervalMs: 1_000_000 });
    await certificates.load();
    run(certificates);
    const problem = expect.stringContaining("due again right after it was executed");
    await expect.poll(() => lines.map(({ message }) => message), { timeout: 20_000 }).toContainEqual(problem);
    expect(stepsIn(lines)).toEqual(["renew", "renew"]);
    expect(lines).toHaveLength(2);
  });

  it("[WH9] leave all other fields of their Secret alone", async () => {
    await replica("meta").load();
    const labelled = {
      labels: { team: "a" },
      annotations: { keep: "me" },
      finalizers: ["example.com/kept"],
    };
    const patch = mergePatch({ metadata: labelled, data: { other: "eA==" } });
    const before = await client.patch(Secret, secretOf("meta"), patch);
    onTestFinished(async () => {
      await client.patch(Secret, secretOf("meta"), mergePatch({ metadata: { finalizers: null } }));
    });
    const logger = new RecordingLogger();
    const { lines } = logger;
    const certificates = replica("meta", { hosts: ["other.svc"], logger });
    await certificates.load();
    run(certificates);
    await expect.poll(() => stepsIn(lines), { timeout: 20_000 }).toEqual(["renew"]);
    const after = await client.get(Secret, secretOf("meta"));
    expect(after.metadata).toMatchObject(labelled);
    expect(after.data?.other).toBe("eA==");
    expect(after.data?.["tls.crt"]).not.toBe(before.data?.["tls.crt"]);
  });

  it("[WH9] use an existing Secret of another type, and name the remedy for one that they cannot write", async () => {
    await client.create(Secret, { metadata: secretOf("opaque") });
    const certificates = replica("opaque");
    await certificates.load();
    const { type, data = {} } = await client.get(Secret, secretOf("opaque"));
    expect(type).toBe("Opaque");
    expect(Buffer.from(data["tls.crt"] ?? "", "base64").toString()).toBe(certificates.current().certificate);

    await client.create(Secret, { metadata: secretOf("immutable"), immutable: true });
    await expect(replica("immutable").load()).rejects.toThrow(
      "write certificate of secret default/immutable: its Secret is immutable; delete it",
    );
  });

  it("refuse rules with which a change would reach replicas too late", () => {
    expect(() => replica("x", { intervalMs: 10_000, rules: { overlapMs: 20_000 } })).toThrow(
      "a third of overlapMs",
    );
  });
});

/** As many calls wait at the same time. More would leave a busy machine no time for what they are to outlast. */
const mostOpenCalls = 20;

/** Calls at a steady rate, half of them on new connections, and remembers what failed. */
class Callers {
  readonly failures: string[] = [];
  calls = 0;
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #trust: (call: number) => string;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  constructor(ports: readonly number[], perSecond: number, trust: (call: number) => string) {
    this.#trust = trust;
    const startedMs = systemClock.monotonicNow();
    this.#timer = setInterval(() => {
      // By the time that has passed, so that a busy machine makes them late and not fewer; but not without end.
      const dueCalls = ((systemClock.monotonicNow() - startedMs) * perSecond) / 1000;
      while (this.calls < dueCalls && this.#open.size < mostOpenCalls) {
        const port = ports[this.calls % ports.length] ?? 0;
        const call = this.#call(port, this.calls % 4 < 2, this.#trust(this.calls >> 2));
        this.calls++;
        this.#open.add(call);
        void call.finally(() => this.#open.delete(call));
      }
    }, 50);
  }

  async #call(port: number, isKept: boolean, ca: string): Promise<void> {
    const agent = isKept ? this.#kept : new Agent({ keepAlive: false });
    try {
      const sent = request({ host: "127.0.0.1", port, path: "/ping", ca, agent }).end();
      const [response] = await once(sent, "response");
      response.resume();
      await once(response, "end");
      if (response.statusCode !== 200) this.failures.push(`status ${response.statusCode}`);
    } catch (error) {
      this.failures.push(`${isKept ? "kept" : "new"}, trusting ${authoritiesIn(ca)}: ${String(error)}`);
    }
  }

  /** Until so many more were begun, and all before them have ended. */
  async more(count: number): Promise<void> {
    const target = this.calls + count;
    await vi.waitUntil(() => this.calls >= target, { timeout: 60_000 });
    await this.settle();
  }

  /** Until all that were begun before have ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#open);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    this.#kept.destroy();
  }
}

const minute = 60_000;
const hour = 60 * minute;

describe("a rotation of leaf and authority", () => {
  /**
   * By a clock that the test moves, so that nothing depends on how fast this machine is. TLS uses the real time: all
   * certificates are valid for hours around it, and the first ones were issued so long ago that they are due soon.
   *
   *     now    +5 min      +10 min          +20 min       +30 min
   *     ┴──────┴ renew ────┴ introduce ─────┴ switch ─────┴ retire
   */
  const rules = { authorityLifeMs: 30 * hour, leafLifeMs: 10 * hour, overlapMs: 10 * minute };
  const intervalMs = 200;
  const inNamespace = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "rotated" } } };

  async function createAgedSecret(): Promise<void> {
    const nowMs = systemClock.now();
    const context = { name: "rotated", hosts: ["127.0.0.1"], rules };
    const dueAt = (ms: number, lifeMs: number): number => ms - (lifeMs + hour) * (2 / 3) + hour;
    const authorityMs = dueAt(nowMs + 10 * minute, rules.authorityLifeMs);
    const leafMs = dueAt(nowMs + 5 * minute, rules.leafLifeMs);
    const made = await createMaterial({ ...context, nowMs: authorityMs });
    const aged = await takeStep("renew", made, { ...context, nowMs: leafMs });
    const type = "kubernetes.io/tls";
    await client.create(Secret, { metadata: secretOf("rotated"), type, data: materialToData(aged) });
  }

  /** The path shows which bundle an API server has. */
  const webhookFor = (bundle: number, seen: (bundle: number) => void) =>
    admission(ConfigMap, {
      ...inNamespace,
      name: "rotated.configmap.v1.core",
      paths: { validate: `/bundle-${bundle}` },
    }).validate(() => seen(bundle));

  it("[WH9] fails none of 200 calls per second to two replicas, nor any of the API server's, however late a change reaches them", {
    timeout: 240_000,
  }, async () => {
    await client.create(Namespace, { metadata: { name: "rotated" } });
    await createAgedSecret();
    const serials = new Set<string>();
    const bundles: string[] = [];
    let seenByServer = -1;
    const webhooks = [0, 1, 2, 3].map((each) => webhookFor(each, (bundle) => (seenByServer = bundle)));

    const serve = async (certificates: ManagedCertificates): Promise<number> => {
      const server = new WebhookServer({ client, admissions: webhooks });
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
    // Each reads the Secret when its own clock moves.
    const leaderClock = new VirtualClock({ startAt: systemClock.now() });
    const followerClock = new VirtualClock({ startAt: systemClock.now() });
    const follower = replica("rotated", { rules, intervalMs, clock: followerClock, mayWrite: () => false });
    const followerPort = await serve(follower);
    const logger = new RecordingLogger();
    const { lines } = logger;
    const leader = replica("rotated", {
      rules,
      intervalMs,
      clock: leaderClock,
      logger,
      inject: async (caBundle, signal) => {
        if (bundles.at(-1) === caBundle) return;
        const endpoint = { url: `https://127.0.0.1:${followerPort}` };
        const admissions = webhooks.slice(bundles.length, bundles.length + 1);
        await keepConfigurations(client, { name: "rotated", endpoint, admissions })(caBundle, signal);
        bundles.push(caBundle);
      },
    });
    const leaderPort = await serve(leader);
    await expect.poll(() => bundles, { timeout: 60_000 }).toHaveLength(1);

    const refusals: string[] = [];
    const write = async (): Promise<void> => {
      const metadata = { namespace: "rotated", generateName: "x-" };
      const written = client.create(ConfigMap, { metadata }, { dryRun: true });
      await written.catch((error: unknown) => refusals.push(String(error)));
    };
    const serverHears = (): Promise<void> =>
      expect.poll(() => write().then(() => seenByServer), { timeout: 60_000 }).toBe(bundles.length - 1);
    await serverHears();

    /** What a caller trusts that has not received the last step. */
    let lateBundle = bundles.at(-1) ?? "";
    const callers = new Callers([leaderPort, followerPort], 200, (call) =>
      call % 2 === 0 ? lateBundle : (bundles.at(-1) ?? ""),
    );
    const stages = [
      { step: "renew", afterMs: 5.5 * minute },
      { step: "introduce", afterMs: 5 * minute },
      { step: "switch", afterMs: 10 * minute },
      { step: "retire", afterMs: 10 * minute },
    ];
    for (const [index, { step, afterMs }] of stages.entries()) {
      await leaderClock.advance(afterMs);
      const stepTaken = async () => {
        await leaderClock.advance(intervalMs);
        return stepsIn(lines).at(-1);
      };
      await expect.poll(stepTaken, { timeout: 60_000 }).toBe(step);
      // What the step has changed is injected before the next read.
      const trusted = async () => {
        await leaderClock.advance(intervalMs);
        return bundles.at(-1) === leader.caBundle;
      };
      await expect.poll(trusted, { timeout: 60_000 }).toBe(true);
      // The leader serves the new, the follower the old; some callers trust the new bundle, and some the old.
      await callers.more(200);
      await write();
      const received = async () => {
        await followerClock.advance(intervalMs);
        return serialOf(follower.current()) === serialOf(leader.current()) && follower.caBundle;
      };
      await expect.poll(received, { timeout: 60_000 }).toBe(leader.caBundle);
      await callers.more(200);
      await serverHears();
      lateBundle = bundles.at(-1) ?? "";
      // A call that is slow to connect would otherwise trust what is older than the overlap.
      await callers.settle();
      expect(callers.failures, `after ${step}`).toEqual([]);
      expect(stepsIn(lines)).toEqual(stages.slice(0, index + 1).map((stage) => stage.step));
    }
    await callers.stop();

    expect(callers.failures).toEqual([]);
    expect(refusals).toEqual([]);
    expect(bundles.map(authoritiesIn)).toEqual([1, 2, 1]);
    expect(bundles[2]).not.toBe(bundles[0]);
    expect(serials.size).toBe(3);
    expect(callers.calls).toBeGreaterThanOrEqual(8 * 200);
    const { webhooks: [webhook] = [] } = await client.get(ValidatingWebhookConfiguration, {
      name: "rotated",
    });
    expect(Buffer.from(webhook?.clientConfig.caBundle ?? "", "base64").toString()).toBe(bundles[2]);
  });
});
