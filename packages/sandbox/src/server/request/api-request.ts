import type { UserInfo } from "../../auth/user.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import { badRequest } from "../../status/api-error.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A request for a resource, after its path was parsed and its user was authenticated and authorized. */
export interface ApiRequest {
  readonly verb: Verb;
  readonly resource: ServedResource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly user: UserInfo;
  /** Reads the body to its end. Throws ApiError if it is too large. */
  body(): Promise<Uint8Array>;
  warn(text: string): void;
  readonly signal: AbortSignal;
}

/** The name in the path of a request for one object. Throws ApiError if the path has none. */
export function nameOf({ name }: Pick<ApiRequest, "name">): string {
  if (name === undefined) throw badRequest("name must be provided");
  return name;
}
