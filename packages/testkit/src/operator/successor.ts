import { abortable } from "@keelson/core";
import type { Operator } from "keelson";
import type { CrashingTransportOptions } from "./crashing-transport.ts";
import type { OperatorProblem } from "./problem-log.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import { type CrashableOperator, type RunOperatorOptions, startOperator } from "./run-operator.ts";

/** An operator that crashes, and its successor. */
export class OperatorWithSuccessor {
  readonly #first: CrashableOperator;
  readonly #startSecond: () => Promise<CrashableOperator>;
  #second: CrashableOperator | undefined;

  private constructor(first: CrashableOperator, startSecond: () => Promise<CrashableOperator>) {
    this.#first = first;
    this.#startSecond = startSecond;
  }

  static async start(
    operator: Operator,
    options: RunOperatorOptions,
    crash: CrashingTransportOptions,
  ): Promise<OperatorWithSuccessor> {
    const first = await startOperator(operator, options, crash);
    return new OperatorWithSuccessor(first, () => startOperator(operator, options));
  }

  /** Of the first. */
  get writes(): readonly RecordedWrite[] {
    return this.#first.writes;
  }

  /** Of the operator that runs. */
  get problems(): readonly OperatorProblem[] {
    return (this.#second ?? this.#first).problems;
  }

  get crashedAt(): RecordedWrite | undefined {
    return this.#first.crashedAt();
  }

  /** Whether the first operator has crashed and has no successor yet. */
  get needsReplacement(): boolean {
    return this.#first.crashed.aborted && this.#second === undefined;
  }

  async replaceCrashed(): Promise<void> {
    if (!this.needsReplacement) return;
    await this.#first.kill();
    this.#second = await this.#startSecond();
  }

  /** Resolves when the running operator has nothing to reconcile, or when the first one crashes, as its last write never ends. */
  async idle(): Promise<void> {
    if (this.#second !== undefined) return this.#second.idle();
    const { crashed } = this.#first;
    try {
      await abortable(this.#first.idle(), crashed);
    } catch (error) {
      if (!crashed.aborted) throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#first.stop();
    await this.#second?.stop();
  }
}
