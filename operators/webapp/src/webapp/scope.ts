import type { Client, EventRecorder, KubeObject, Stored } from "keelson";
import type { Deployment } from "keelson/kinds/apps/v1";
import type { Service } from "keelson/kinds/core/v1";
import type { Reason } from "../api/reasons.ts";
import type { WebApp } from "../api/web-app.ts";

/** Why a child is not as it is wanted. */
export interface Problem {
  readonly reason: Extract<Reason, "NameTaken" | "WaitingForDeletion" | "ApplyFailed">;
  readonly message: string;
}

/** What one pass over a WebApp works with. */
export interface Scope {
  readonly webapp: Stored<WebApp>;
  /** Reads from the cache. */
  readonly client: Client;
  /** Reads from the server. */
  readonly liveClient: Client;
  readonly events: EventRecorder;
  /** Set when it was found or applied; undefined while there is none of ours. */
  deployment: Deployment | undefined;
  /** Likewise. */
  service: Service | undefined;
  /** One for each child that could not be applied, in the order of the children. */
  readonly problems: Problem[];
  /** Each child has had its turn. Set at the end; false if one was refused or could not be asked for. */
  isApplied: boolean;
}

/** The name and place of all children: those of the WebApp. */
export function childKey({ metadata: { namespace = "", name = "" } }: KubeObject): {
  readonly namespace: string;
  readonly name: string;
} {
  return { namespace, name };
}
