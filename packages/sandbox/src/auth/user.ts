/** The user of a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user of the server's own controllers, which may do everything. */
export const systemUser: UserInfo = { username: "system:apiserver", groups: ["system:masters"] };

const prefix = "system:serviceaccount:";

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The user name of a ServiceAccount. */
export function serviceAccountUsername({ namespace, name }: ServiceAccountName): string {
  return `${prefix}${namespace}:${name}`;
}

/** The groups of every ServiceAccount of a namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
