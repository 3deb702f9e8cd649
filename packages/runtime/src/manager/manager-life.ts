import { ManagerReusedError, ManagerStartedError, ManagerStoppedError } from "./errors.ts";

/**
 * Where a manager is in its life. It goes on only to the right, and may leave steps out:
 *
 *     new ──▶ starting ──▶ running ──▶ leading ──▶ stopping ──▶ stopped
 *
 * `running` is everything that needs no leadership; `leading` is everything.
 */
export type LifeState = "new" | "starting" | "running" | "leading" | "stopping" | "stopped";

const order: readonly LifeState[] = ["new", "starting", "running", "leading", "stopping", "stopped"];

/** What may be asked of a manager, and when. */
export class ManagerLife {
  #state: LifeState = "new";

  get state(): LifeState {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state === "stopping" || this.#state === "stopped";
  }

  /** Throws a ManagerReusedError if it is not the first start. */
  start(): void {
    if (this.#state !== "new") throw new ManagerReusedError();
    this.#state = "starting";
  }

  /** Goes on to the state, and says whether it did: what is over does not begin again [MG6]. */
  moveTo(next: LifeState): boolean {
    if (order.indexOf(next) <= order.indexOf(this.#state)) return false;
    this.#state = next;
    return true;
  }

  /** For what has to be known before the start [MG8]. */
  demandNew(operation: string): void {
    if (this.#state !== "new") throw new ManagerStartedError(operation);
  }

  /** For what may come at any time until the stop [MG5]. */
  demandNotOver(operation: string): void {
    if (this.isOver) throw new ManagerStoppedError(operation);
  }
}
