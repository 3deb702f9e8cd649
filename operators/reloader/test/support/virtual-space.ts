import { type RunningOperator, startWorld, VirtualClock, type VirtualWorld } from "@keelson/testkit";
import { formatTime, mergePatch, type Stored } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { Event } from "keelson/kinds/events/v1";
import { ReloadRecord, type ReloadRecordStatus } from "../../src/api/reload-record.ts";
import { type NewReloaderConfig, ReloaderConfig } from "../../src/api/reloader-config.ts";
import { reloader } from "../../src/operator.ts";
import { contentHashes } from "../../src/resource/content-hash.ts";
import { formatRef } from "../../src/resource/watched-resource.ts";

/** Longer than changes are collected, and than pods need to start. */
const settleMs = 4000;
const tenMinutesMs = 600_000;

/** A world on a virtual clock, in which one Reloader runs at a time, and the namespace of the current test. */
export class VirtualSpace implements AsyncDisposable {
  readonly world: VirtualWorld;
  readonly #settings: Readonly<Record<string, unknown>>;
  #namespace = "";
  #operator: RunningOperator | undefined;

  private constructor(world: VirtualWorld, settings: Readonly<Record<string, unknown>>) {
    this.world = world;
    this.#settings = settings;
  }

  static async start(settings: Readonly<Record<string, unknown>> = {}): Promise<VirtualSpace> {
    const clock = new VirtualClock({ startAt: Date.parse("2026-06-10T12:15:00Z") });
    const space = new VirtualSpace(await startWorld({ clock }), settings);
    await space.startOperator();
    return space;
  }

  get namespace(): string {
    return this.#namespace;
  }

  /** Continues in a namespace of its own. */
  async enterNamespace(): Promise<void> {
    this.#namespace = await this.world.createNamespace();
  }

  get operator(): RunningOperator {
    if (this.#operator === undefined) throw new Error("the operator does not run");
    return this.#operator;
  }

  async startOperator(): Promise<void> {
    this.#operator = await this.world.runOperator(reloader, { settings: this.#settings });
    await this.settled();
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  /** Ends the operator like a killed process, and starts another one. */
  async restartOperator(): Promise<void> {
    await this.#operator?.kill();
    await this.startOperator();
  }

  /** Lets so much time pass that changes are collected, rolled out and recorded. */
  settled(): Promise<void> {
    return this.passes(settleMs);
  }

  /** Lets time pass; what is due happens in between. */
  async passes(ms: number): Promise<void> {
    await this.world.clock.advance(ms);
    await this.#operator?.idle();
  }

  /** Lets time pass until this minute of ten, as in `7` for 12:07 and 12:17. */
  async passesUntilMinute(minute: number): Promise<void> {
    await this.passes(this.#nextMinuteMs(minute) - this.world.clock.now());
  }

  /** When it is this minute of ten for the next time. */
  nextMinute(minute: number): string {
    return formatTime(this.#nextMinuteMs(minute));
  }

  #nextMinuteMs(minute: number): number {
    const now = this.world.clock.now();
    const ms = Math.floor(now / tenMinutesMs) * tenMinutesMs + minute * 60_000;
    return ms > now ? ms : ms + tenMinutesMs;
  }

  /** A Deployment that uses a Secret and a ConfigMap of its name. */
  async deploy(name: string, annotations: Readonly<Record<string, string>> = {}): Promise<void> {
    const { namespace } = this;
    const { client } = this.world;
    await client.create(Secret, { metadata: { namespace, name }, data: { key: encoded("0") } });
    await client.create(ConfigMap, { metadata: { namespace, name }, data: { key: "0" } });
    const labels = { app: name };
    const envFrom = [{ secretRef: { name } }, { configMapRef: { name } }];
    await client.create(Deployment, {
      metadata: { namespace, name, annotations },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "app", image: "app:1", envFrom }] },
        },
      },
    });
    await this.settled();
  }

  async configure(name: string, spec: NewReloaderConfig["spec"]): Promise<void> {
    await this.world.client.create(ReloaderConfig, { metadata: { namespace: this.namespace, name }, spec });
    await this.settled();
  }

  /** Changes a Secret, without waiting. */
  async setSecret(name: string, value: string): Promise<void> {
    const key = { namespace: this.namespace, name };
    await this.world.client.patch(Secret, key, mergePatch({ data: { key: encoded(value) } }));
  }

  /** Changes a ConfigMap, without waiting. */
  async setConfigMap(name: string, value: string): Promise<void> {
    const key = { namespace: this.namespace, name };
    await this.world.client.patch(ConfigMap, key, mergePatch({ data: { key: value } }));
  }

  /** Changes a Deployment, as a user does. */
  async change(name: string, value: object): Promise<void> {
    const key = { namespace: this.namespace, name };
    await this.world.client.patch(Deployment, key, mergePatch(value));
  }

  /** Sets annotations of a Deployment; null removes one. */
  annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    return this.change(name, { metadata: { annotations } });
  }

  deployment(name: string): Promise<Stored<Deployment>> {
    return this.world.client.get(Deployment, { namespace: this.namespace, name });
  }

  /** How many times the Deployment was rolled out after its creation. */
  async rollouts(name: string): Promise<number> {
    const { metadata } = await this.deployment(name);
    return Number(metadata.annotations?.["deployment.kubernetes.io/revision"]) - 1;
  }

  async isPaused(name: string): Promise<boolean> {
    return (await this.deployment(name)).spec?.paused === true;
  }

  async record(name: string): Promise<ReloadRecordStatus> {
    const key = { namespace: this.namespace, name: `deployment-${name}` };
    return (await this.world.client.get(ReloadRecord, key)).status ?? {};
  }

  /** Whether the recorded hashes are those of the content. */
  async isCurrent(name: string): Promise<boolean> {
    const { baselines = {} } = await this.record(name);
    const { client } = this.world;
    const key = { namespace: this.namespace, name };
    const secret = await client.get(Secret, key);
    const configMap = await client.get(ConfigMap, key);
    return (
      baselines[formatRef({ kind: "Secret", ...key })] === contentHashes("Secret", secret).hash &&
      baselines[formatRef({ kind: "ConfigMap", ...key })] === contentHashes("ConfigMap", configMap).hash
    );
  }

  /** The reasons of the operator's Events about an object, each once, in the order of the alphabet; of the last hour. */
  async eventsAbout(kind: string, name: string): Promise<readonly string[]> {
    const reasons = (await this.#eventsAbout(kind, name)).map(({ reason = "" }) => reason);
    return [...new Set(reasons)].sort();
  }

  /** The messages of these Events with a reason. */
  async messagesOf(kind: string, name: string, reason: string): Promise<readonly string[]> {
    const events = await this.#eventsAbout(kind, name);
    return events.filter((event) => event.reason === reason).map(({ note = "" }) => note);
  }

  async #eventsAbout(kind: string, name: string): Promise<readonly Event[]> {
    const { items } = await this.world.client.list(Event, { namespace: this.namespace });
    return items.filter(
      ({ regarding, reportingController }) =>
        regarding?.kind === kind &&
        regarding.name === name &&
        reportingController !== "deployment-controller",
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.world.stop();
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}
