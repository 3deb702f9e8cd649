import type { ServiceRequest } from "@keelson/core";
import type { UserInfo } from "./user.ts";

/** The user of a request; undefined for invalid credentials. Without credentials: system:anonymous. */
export type Authenticate = (request: ServiceRequest) => UserInfo | undefined;

/** The attributes of an access for authorization. */
export type AccessRequest =
  | {
      readonly verb: string;
      readonly group: string;
      readonly version?: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
      /** The values that a field selector requires, by field. */
      readonly selectedFields?: Readonly<Record<string, string>>;
    }
  | { readonly verb: string; readonly path: string };

export interface AccessDecision {
  readonly allowed: boolean;
  /** The reason in a SubjectAccessReview: `RBAC: allowed by ClusterRoleBinding "…" of ClusterRole "…" to Group "…"`. */
  readonly reason: string;
}

export type Authorize = (user: UserInfo, request: AccessRequest) => AccessDecision;

/** Everything a user may do in a namespace, in the form of a SelfSubjectRulesReview. */
export interface AccessRules {
  readonly resourceRules: readonly Readonly<Record<string, readonly string[]>>[];
  readonly nonResourceRules: readonly Readonly<Record<string, readonly string[]>>[];
  /** Whether there may be more. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export type RulesOfUser = (user: UserInfo, namespace: string) => AccessRules;
