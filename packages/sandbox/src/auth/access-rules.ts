import type { UserInfo } from "./user.ts";

/** Everything a user may do in a namespace, as SelfSubjectRulesReview tells it. */
export interface AccessRules {
  readonly resourceRules: readonly Readonly<Record<string, readonly string[]>>[];
  readonly nonResourceRules: readonly Readonly<Record<string, readonly string[]>>[];
  /** Whether there may be more. */
  readonly incomplete: boolean;
}

export type RulesOfUser = (user: UserInfo, namespace: string) => AccessRules;
