import {
  type Clock,
  type Logger,
  NotFoundError,
  type ObjectKey,
  type Random,
  type Resource,
  type Stored,
} from "keelson";
import { type ObjectEvent, Reflector, type Snapshot } from "keelson/cache";
import { type ClusterAccess, createClient, type Transport } from "keelson/client";
import { cutText, toError } from "keelson/low-level";
import { managedBy, namesOf } from "../api/names.ts";
import type { Reservation } from "../neighbours/zenith.ts";
import { type AttemptGate, gatedTransport } from "./attempt-gate.ts";
import { tenantAccess } from "./tenant-access.ts";
import { hasSameContent, mostReservations } from "./watched-reservation.ts";

/** How well a tenant cluster is known. */
export interface TenantState {
  /**
   * `connecting`: its kubeconfig is new, and there was no response yet. `synced`: its Reservations are known, and changes
   * arrive. `failed`: the last attempt failed; it is repeated after a while, and what was known stays known.
   */
  readonly state: "connecting" | "synced" | "failed";
  /** Since when, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** Why it failed. Contains nothing secret. */
  readonly problem?: string;
}

/** What all tenants share. */
export interface TenantParts {
  readonly resource: Resource<Reservation>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly gate: AttemptGate;
  readonly openTransport: (access: ClusterAccess) => Transport;
}

/** A server must not fill the log. */
const mostProblemBytes = 500;

/**
 * The Reservations of one tenant cluster, and the connection over which they come. A failure is repeated by the back-off
 * of the reflector, from one second up to one minute; only a kubeconfig that cannot be used waits for the next one.
 */
export class Tenant {
  readonly key: ObjectKey;
  readonly #parts: TenantParts;
  readonly #log: Logger;
  readonly #onChange: () => void;
  #kubeconfig: string;
  #known: Map<string, Snapshot<Reservation>> | undefined;
  #state: TenantState;
  /** Ends the current connection; undefined if there is to be none. */
  #stop: AbortController | undefined;
  /** Resolves when nothing of the last connection is left. */
  #ended: Promise<void> = Promise.resolve();

  /** `onChange` is called when the Reservations are other ones than before. */
  constructor(key: ObjectKey, kubeconfig: string, parts: TenantParts, onChange: () => void) {
    this.key = key;
    this.#kubeconfig = kubeconfig;
    this.#parts = parts;
    this.#log = parts.log.with({ Cluster: key });
    this.#onChange = onChange;
    this.#state = { state: "connecting", sinceMs: parts.clock.now() };
  }

  get state(): TenantState {
    return this.#state;
  }

  /** Undefined until they are known for the first time. */
  get reservations(): readonly Stored<Reservation>[] | undefined {
    if (this.#known === undefined) return undefined;
    return [...this.#known.values()].flatMap((each) => (each.problem === undefined ? [each.object] : []));
  }

  /** Replaces the connection if the kubeconfig is another one. What is known stays until the new connection has synced. */
  follow(kubeconfig: string): void {
    if (kubeconfig === this.#kubeconfig) return;
    this.#kubeconfig = kubeconfig;
    if (this.#stop !== undefined) this.start();
  }

  /** Connects, after the end of the connection before. */
  start(): void {
    this.#stop?.abort(new Error("the kubeconfig has changed"));
    const stop = new AbortController();
    this.#stop = stop;
    this.#enter("connecting");
    const kubeconfig = this.#kubeconfig;
    this.#ended = this.#ended.then(() => this.#connect(kubeconfig, stop.signal));
  }

  /** When it resolves, no request, socket or timer is left. */
  async stop(): Promise<void> {
    this.#stop?.abort(new Error("the tenant cluster is no longer watched"));
    this.#stop = undefined;
    await this.#ended;
  }

  async #connect(kubeconfig: string, signal: AbortSignal): Promise<void> {
    const { clock, openTransport } = this.#parts;
    const { namespace = "", name } = this.key;
    try {
      if (signal.aborted) return;
      const access = await tenantAccess(kubeconfig, {
        name: `${namespace}/${namesOf(name).kubeconfigSecret}`,
        clock,
        onWarning: (message) => this.#log.warn(message),
      });
      if (signal.aborted) return;
      const transport = openTransport(access);
      await this.#watch(transport, signal).finally(() => transport.close());
    } catch (error) {
      if (!signal.aborted) this.#fail(toError(error));
    }
  }

  async #watch(inner: Transport, signal: AbortSignal): Promise<void> {
    const { resource, clock, random, gate } = this.#parts;
    /** How many objects of this sync have come. The next sync comes after an error only. */
    let arrived = 0;
    const transport = gatedTransport(inner, {
      gate,
      clock,
      // The watch goes on where it was: nothing else shows that.
      onStream: () => {
        if (reflector.freshness.phase === "watching") this.#enter("synced");
      },
    });
    const reflector: Reflector<Reservation> = new Reflector({
      client: createClient({ transport, clock, userAgent: managedBy }),
      resource,
      clock,
      random,
      sink: {
        arrived: () => checkCount(++arrived),
        replace: (snapshots) => {
          checkCount(snapshots.size);
          this.#replace(snapshots);
        },
        apply: (event) => this.#apply(event),
        bookmark: () => undefined,
      },
      onError: (error) => {
        arrived = 0;
        // What is tried again at once, in another way, has not failed yet.
        if (reflector.freshness.phase !== "waiting") return;
        if (error instanceof NotFoundError) this.#replace(new Map());
        else this.#fail(error);
      },
      onWarning: (message) => this.#log.debug(message),
    });
    await reflector.run(signal);
  }

  /** Also without any: the API of Zenith may be installed late, and until then there are no Reservations. */
  #replace(snapshots: Map<string, Snapshot<Reservation>>): void {
    const before = this.#known;
    this.#known = snapshots;
    this.#enter("synced");
    const isSame =
      before?.size === snapshots.size &&
      [...snapshots].every(([keyText, snapshot]) => hasSameContent(before.get(keyText), snapshot));
    if (!isSame) this.#onChange();
  }

  #apply({ type, snapshot }: ObjectEvent<Reservation>): void {
    this.#known ??= new Map();
    const { keyText } = snapshot;
    const before = this.#known.get(keyText);
    if (type !== "DELETED" && before === undefined) checkCount(this.#known.size + 1);
    if (type === "DELETED") this.#known.delete(keyText);
    else this.#known.set(keyText, snapshot);
    if (type === "DELETED" || !hasSameContent(before, snapshot)) this.#onChange();
  }

  #fail(error: Error): void {
    this.#enter("failed", cutText(error.message, mostProblemBytes));
  }

  /** Logs a state once, however often it is entered again. */
  #enter(state: TenantState["state"], problem?: string): void {
    const before = this.#state;
    if (before.state === state && before.problem === problem) return;
    const sinceMs = before.state === state ? before.sinceMs : this.#parts.clock.now();
    this.#state = { state, sinceMs, ...(problem !== undefined && { problem }) };
    if (state === "failed") this.#log.warn("the tenant cluster cannot be watched", { problem });
    if (state === "synced")
      this.#log.info("the tenant cluster is watched", { reservations: this.#known?.size ?? 0 });
  }
}

/** The reflector takes the error for a failure, drops what it has received and tries again later. */
function checkCount(reservations: number): void {
  if (reservations > mostReservations)
    throw new Error(
      `watch reservations: there are more than ${mostReservations}; are they created in a loop?`,
    );
}
