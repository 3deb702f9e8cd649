import type { Lease } from "@keelson/core/kinds/coordination/v1";

/** What an election loop tells while it runs. Plain data, since the loop may run in another thread. */
export type ElectionReport =
  /** Who leads is another than before; empty if nobody does [LE6]. */
  | { readonly type: "newLeader"; readonly identity: string }
  /** This replica leads. */
  | { readonly type: "started"; readonly lease: Pick<Lease, "apiVersion" | "kind" | "metadata"> }
  /** A leader had to look at its Lease before it could renew it [LE11]. */
  | { readonly type: "slowPath" }
  | { readonly type: "problem"; readonly problem: ElectionProblem };

/** A request of the election failed. */
export interface ElectionProblem {
  /** `forbidden`: it will fail until somebody grants rights. `conflict`: another replica was quicker. */
  readonly kind: "forbidden" | "conflict" | "other";
  readonly message: string;
}

/** How an election loop ended. */
export type ElectionEnd =
  | { readonly type: "cancelled" }
  /** It led, and cannot be sure to lead any more. */
  | { readonly type: "lost"; readonly reason: string };

export type Report = (report: ElectionReport) => void;
