/** Who makes a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the server's own controllers act as; allowed everything. */
export const systemUser: UserInfo = { username: "system:apiserver", groups: ["system:masters"] };
