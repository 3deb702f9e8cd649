import { abortable } from "@keelson/core";
import type { Operator } from "keelson";
import type { CrashingTransportOptions } from "./crashing-transport.ts";
import type { OperatorProblem } from "./problem-log.ts";
import type { RecordedWrite } from "./recorded-write.ts";
import { type CrashableOperator, type RunOperatorOptions, startOperator } from "./run-operator.ts";

export interface SuccessorOptions extends Omit<CrashingTransportOptions, "isCounted"> {
  /** Whether writes count from `beginAct` on. Default: all do. */
  readonly waitsForAct?: boolean;
}

/** An operator that crashes, and its successor. */
export class OperatorWithSuccessor {
  readonly #first: CrashableOperator;
  readonly #startSecond: () => Promise<CrashableOperator>;
  /** Lets the writes of the first count from now on; undefined if they do anyway. */
  readonly #beginCount: (() => void) | undefined;
  #firstWrite = 0;
  #second: CrashableOperator | undefined;

  private constructor(
    first: CrashableOperator,
    startSecond: () => Promise<CrashableOperator>,
    beginCount: (() => void) | undefined,
  ) {
    this.#first = first;
    this.#startSecond = startSecond;
    this.#beginCount = beginCount;
  }

  static async start(
    operator: Operator,
    options: RunOperatorOptions,
    { waitsForAct = false, ...crash }: SuccessorOptions,
  ): Promise<OperatorWithSuccessor> {
    let counts = !waitsForAct;
    const first = await startOperator(operator, options, { ...crash, isCounted: () => counts });
    const startSecond = (): Promise<CrashableOperator> => startOperator(operator, options);
    const beginCount = (): void => {
      counts = true;
    };
    return new OperatorWithSuccessor(first, startSecond, waitsForAct ? beginCount : undefined);
  }

  /** Those of the first that count. */
  get writes(): readonly RecordedWrite[] {
    return this.#first.writes.slice(this.#firstWrite);
  }

  beginAct(): void {
    if (this.#beginCount === undefined) return;
    this.#firstWrite = this.#first.writes.length;
    this.#beginCount();
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
