/** Who makes a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the server's own controllers act as; allowed everything. */
export const systemUser: UserInfo = { username: "system:apiserver", groups: ["system:masters"] };

const prefix = "system:serviceaccount:";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The name under which a ServiceAccount is known as a user. */
export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${prefix}${namespace}:${name}`;
}

/** The groups of every ServiceAccount of a namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
