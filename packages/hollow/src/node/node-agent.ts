import { type Client, type Clock, type Logger, NotFoundError, type Random, type Stored } from "keelson";
import { strategicMergePatch } from "keelson/client";
import { Node } from "keelson/kinds/core/v1";
import { abortable, sleep, toError } from "keelson/low-level";
import { NodeClaim } from "./node-claim.ts";
import { renewLease } from "./node-lease.ts";
import { makeNodeStatus, type NodeState } from "./node-object.ts";
import type { NodeSettings } from "./node-settings.ts";

export interface NodeAgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: NodeSettings;
  /** The mark of this program on its Nodes. */
  readonly program: string;
  /** Between two renewals of the Lease. */
  readonly heartbeatMs: number;
  /** Between two reports of a status that has not changed. */
  readonly statusIntervalMs: number;
}

/** After a heartbeat that failed. */
const retryMs = 1000;

/**
 * What a kubelet does for its Node: registers it, renews its Lease, reports its status. A Node that a user deletes
 * stays away until `setState` brings it back, as that of a kubelet would until its restart.
 */
export class NodeAgent {
  readonly #options: NodeAgentOptions;
  readonly #claim: NodeClaim;
  #state: NodeState = "ready";
  /** Undefined before it is registered and after it was deleted. */
  #node: Stored<Node> | undefined;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  /** One write after the other, so that an old state never overwrites a new one. */
  #lastWork: Promise<unknown> = Promise.resolve();

  constructor(options: NodeAgentOptions) {
    this.#options = options;
    this.#claim = new NodeClaim(options);
  }

  get settings(): NodeSettings {
    return this.#options.settings;
  }

  /** Silent, too, is a node that has no Node. */
  get state(): NodeState {
    return this.#node === undefined ? "silent" : this.#state;
  }

  /** Creates the Node unless it exists, and reports the state at once. Throws a NodeTakenError. */
  setState(state: NodeState, signal?: AbortSignal): Promise<void> {
    this.#state = state;
    return this.#inTurn(async () => {
      // A later call may have changed the state; the last one wins.
      if (this.#state === "silent") return;
      this.#node = await this.#claim.take(this.#node, signal);
      await this.#report(this.#state, signal);
      await this.#renew(signal);
    });
  }

  /** Renews and reports until the signal aborts; what fails is logged and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, heartbeatMs } = this.#options;
    try {
      // Many nodes that start together must not beat together.
      let delayMs = heartbeatMs * random.next();
      for (;;) {
        await sleep(clock, delayMs, signal);
        const hasSucceeded = await abortable(
          this.#inTurn(() => this.#beat(signal)),
          signal,
        );
        delayMs = hasSucceeded ? heartbeatMs : Math.min(heartbeatMs, retryMs);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Deletes the Node if this program made it and no other has taken it up. */
  remove(): Promise<void> {
    return this.#inTurn(() => this.#claim.release());
  }

  async #beat(signal: AbortSignal): Promise<boolean> {
    const { client, clock, log, statusIntervalMs, settings } = this.#options;
    if (this.#state === "silent" || this.#node === undefined) return true;
    try {
      // A cluster that has missed heartbeats believes the node dead until its next report.
      this.#node = await client.get(Node, { name: settings.name }, { resourceVersion: "0", signal });
      const isDue = clock.monotonicNow() - this.#reportedAtMs >= statusIntervalMs;
      if (isDue || !saysOfItself(this.#node, this.#state)) await this.#report(this.#state, signal);
      await this.#renew(signal);
      return true;
    } catch (caught) {
      if (signal.aborted) return false;
      if (caught instanceof NotFoundError) {
        log.info("the Node was deleted; it is left alone", { Node: { name: settings.name } });
        this.#node = undefined;
        return true;
      }
      const error = toError(caught);
      log.warn(`beat for node ${settings.name}: ${error.message}; it is tried again`, { error });
      return false;
    }
  }

  async #report(state: Exclude<NodeState, "silent">, signal: AbortSignal | undefined): Promise<void> {
    const { client, clock, settings } = this.#options;
    const call = signal === undefined ? {} : { signal };
    const key = { name: settings.name };
    const { status } = await client.get(Node, key, call);
    const next = makeNodeStatus(settings, state, status, clock.now());
    // Conditions are merged by type: those of other writers stay.
    this.#node = await client.status(Node).patch(key, strategicMergePatch({ status: next }), call);
    this.#reportedAtMs = clock.monotonicNow();
  }

  async #renew(signal: AbortSignal | undefined): Promise<void> {
    const { client, clock } = this.#options;
    if (this.#node !== undefined) await renewLease(client, this.#node, clock.now(), signal);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#lastWork.then(work);
    this.#lastWork = result.catch(() => undefined);
    return result;
  }
}

function saysOfItself({ status }: Node, state: Exclude<NodeState, "silent">): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === (state === "ready" ? "True" : "False");
}
