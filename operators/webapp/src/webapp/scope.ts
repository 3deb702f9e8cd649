import type { ObjectContext, Stored } from "keelson";
import type { Deployment } from "keelson/kinds/apps/v1";
import type { Service } from "keelson/kinds/core/v1";
import type { Reason } from "../api/reasons.ts";
import type { WebApp } from "../api/web-app.ts";

/** Why an owned object is not in the desired state. */
export interface Problem {
  readonly reason: Extract<Reason, "NameTaken" | "WaitingForDeletion" | "ApplyFailed">;
  readonly message: string;
}

/** The context of a reconcile, and what it has found so far. Everything a WebApp owns has its name. */
export interface Scope {
  readonly context: ObjectContext<WebApp>;
  readonly webapp: Stored<WebApp>;
  /** Set when it was found or applied; undefined while the WebApp has none. */
  deployment: Stored<Deployment> | undefined;
  /** Likewise. */
  service: Stored<Service> | undefined;
  /** One for each owned object that could not be applied, in their order. */
  readonly problems: Problem[];
  /** Every owned object has been applied. Set at the end; false if one was refused or not reached. */
  isApplied: boolean;
}
