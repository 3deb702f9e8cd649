import type { ServiceRequest } from "@keelson/core";
import type { UserInfo } from "./user.ts";

/** Finds out who sends a request; undefined for credentials that are wrong. Without credentials: system:anonymous. */
export type Authenticate = (request: ServiceRequest) => UserInfo | undefined;

/** What somebody wants to do. */
export type AccessRequest =
  | {
      readonly verb: string;
      readonly group: string;
      readonly version?: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly verb: string; readonly path: string };

export interface AccessDecision {
  readonly allowed: boolean;
  /** As SubjectAccessReview tells it: `RBAC: allowed by ClusterRoleBinding "…" of ClusterRole "…" to Group "…"`. */
  readonly reason: string;
}

export type Authorize = (user: UserInfo, request: AccessRequest) => AccessDecision;

/** Everything a user may do in a namespace, as SelfSubjectRulesReview tells it. */
export interface AccessRules {
  readonly resourceRules: readonly Readonly<Record<string, readonly string[]>>[];
  readonly nonResourceRules: readonly Readonly<Record<string, readonly string[]>>[];
  /** Whether there may be more. */
  readonly incomplete: boolean;
}

export type RulesOfUser = (user: UserInfo, namespace: string) => AccessRules;
