import type { Client, ClusterAccess } from "@keelson/client";
import { type Clock, systemClock, systemRandom } from "@keelson/core";
import { type Admission, Manager, type ManagerOptions, type Operator } from "keelson";
import { operatorCacheKinds } from "keelson/manager";
import { type ApiEventRecorder, createEventRecorder, type Metrics } from "keelson/telemetry";
import type { WebhookSet } from "keelson/webhook";
import { ControllerActivity } from "./controller-activity.ts";
import type { CrashingTransport } from "./crashing-transport.ts";
import { OperatorEndedError } from "./errors.ts";
import { type OperatorProblem, ProblemLog, warningLogger } from "./problem-log.ts";
import type { RunOperatorOptions } from "./run-operator.ts";
import { removeWebhooks, servedWebhooks, unservedWebhooks, webhookProbe } from "./served-webhooks.ts";
import { until } from "./until.ts";

export interface OperatorRunParts {
  readonly options: RunOperatorOptions;
  /** The operator's own. */
  readonly client: Client;
  /** How it reaches the cluster; undefined if that is not by HTTPS. */
  readonly access: ClusterAccess | undefined;
  readonly admin: Client;
  readonly connection: CrashingTransport;
  readonly metrics: Metrics;
  /** The time in which its start and its idleness are waited for. */
  readonly waitClock: Clock;
  /** Of all that its webhooks need in the cluster. */
  readonly webhookName: string;
  /** Closes what it needed, once it has ended. */
  readonly release: () => Promise<void>;
}

/** A busy machine takes its time. */
const patienceMs = 60_000;

/** One life of an operator. */
export class OperatorRun {
  readonly #operator: Operator;
  readonly #parts: OperatorRunParts;
  readonly #activity = new ControllerActivity();
  readonly #log: ProblemLog;
  readonly #manager: ObservedManager;
  readonly #events: ApiEventRecorder | undefined;
  readonly #stop = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(operator: Operator, parts: OperatorRunParts) {
    this.#operator = operator.withSettings(parts.options.settings);
    this.#parts = parts;
    // What an operator without connections complains of is what the test wants.
    this.#log = new ProblemLog(parts.options.log ?? warningLogger(), () => this.#isDead);
    this.#events = parts.options.events === false ? undefined : this.#makeEvents();
    this.#manager = new ObservedManager(this.#managerOptions());
    // `stop` reports a failure; until then it is no unhandled rejection.
    this.ended.catch(() => undefined);
  }

  get manager(): Manager {
    return this.#manager;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get problems(): readonly OperatorProblem[] {
    return this.#log.problems;
  }

  get #isDead(): boolean {
    return this.#parts.connection.crashed.aborted;
  }

  get #hasStarted(): boolean {
    return this.#manager.state === "leading" && this.#activity.haveStarted;
  }

  /** Resolves when it runs, or when its connections are dead. If it rejects, it has ended. */
  async start(): Promise<void> {
    const { admin, options, webhookName } = this.#parts;
    await this.#operator.setup(this.#manager);
    const { webhooks = false, namespaces: [place] = [] } = options;
    const probe = webhooks ? webhookProbe(webhookName, this.#manager.admissions, place) : undefined;
    if (probe !== undefined) this.#manager.addWebhooks({ admissions: [probe.admission] });
    this.#live().then(this.#ended.resolve, this.#ended.reject);
    try {
      await this.#until("its controllers start", () => this.#hasStarted || this.#isDead);
      if (!this.#isDead) await probe?.called(admin);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  idle(): Promise<void> {
    return this.#until("it has nothing to reconcile", () => this.#activity.isIdle);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the operator is stopped"));
    await this.ended;
  }

  async kill(): Promise<void> {
    this.#parts.connection.crash();
    // Its last Events could not be sent.
    await this.#events?.stop();
    await this.stop();
  }

  async #live(): Promise<void> {
    try {
      await this.#manager.run(this.#stop.signal);
    } finally {
      this.#hasEnded = true;
      await this.#cleanUp();
    }
  }

  async #cleanUp(): Promise<void> {
    const { admin, options, webhookName, release } = this.#parts;
    try {
      if (options.webhooks === true) await removeWebhooks(admin, webhookName);
    } finally {
      await release();
    }
  }

  async #until(goal: string, condition: () => boolean): Promise<void> {
    const goalOfOperator = `wait for operator ${this.#operator.name} until ${goal}`;
    await until(goalOfOperator, () => this.#hasEnded || condition(), {
      timeoutMs: patienceMs,
      problems: () => this.problems,
      clock: this.#parts.waitClock,
    });
    if (!this.#hasEnded) return;
    await this.ended;
    throw new OperatorEndedError(goalOfOperator);
  }

  #makeEvents(): ApiEventRecorder {
    const { options, client } = this.#parts;
    const { clock = systemClock, random = systemRandom } = options;
    const { name } = this.#operator;
    const source = { reportingController: name, reportingInstance: "testkit" };
    return createEventRecorder({ client, clock, random, log: this.#log, ...source });
  }

  #managerOptions(): ManagerOptions {
    const { options, client, access, metrics, webhookName } = this.#parts;
    const { clock, random, env, namespaces, permissionCheck, servedCheckMs } = options;
    const events = this.#events;
    return {
      client,
      name: this.#operator.name,
      log: this.#log,
      ...(clock !== undefined && { clock }),
      ...(random !== undefined && { random }),
      ...(access !== undefined && { access }),
      ...(env !== undefined && { env }),
      ...(events !== undefined && { events }),
      ...(permissionCheck !== undefined && { permissionCheck }),
      cache: {
        kinds: operatorCacheKinds([this.#operator]),
        ...(servedCheckMs !== undefined && { servedCheckMs }),
        ...(namespaces !== undefined && {
          defaults: { namespaces: Object.fromEntries(namespaces.map((each) => [each, {}])) },
        }),
      },
      metrics: { port: -1, gathered: this.#activity.listenTo(metrics) },
      health: { port: -1 },
      webhooks: options.webhooks === true ? servedWebhooks(webhookName) : unservedWebhooks,
    };
  }
}

/** A manager that remembers which webhooks it was given. */
export class ObservedManager extends Manager {
  readonly admissions: Admission[] = [];

  override addWebhooks(webhooks: WebhookSet): void {
    super.addWebhooks(webhooks);
    this.admissions.push(...(webhooks.admissions ?? []));
  }
}
