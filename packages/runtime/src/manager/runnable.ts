/** Something that lives as long as a manager does, beside its controllers: a poller, a migration, a server. */
export interface Runnable {
  /** In logs and errors. */
  readonly name: string;
  /**
   * Works until the signal aborts, or until it has nothing more to do. What it throws ends the manager; what it throws
   * because of the abort does not count.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Only the leading replica runs it [MG6]. Default true. */
  readonly needsLeadership?: boolean;
  /**
   * Gets ready while another replica leads, so that `run` finds its work at hand [CT17]. The signal aborts if the manager
   * stops without `run` having been called; from then on it is `run` that ends everything. Must not resolve before what
   * it began has ended, if that is something that outlasts it. Only of use where leadership is needed.
   */
  warmUp?(signal: AbortSignal): Promise<void>;
}
