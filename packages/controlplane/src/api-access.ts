import { ApiRequestError } from "./errors.ts";
import { type LoopbackAnswer, type LoopbackRequest, loopbackRequest } from "./loopback-request.ts";

/** The API server as one user sees it. */
export interface ApiAccess {
  readonly url: string;
  readonly tls: NonNullable<LoopbackRequest["tls"]>;
}

export function apiGet(access: ApiAccess, path: string): Promise<LoopbackAnswer> {
  return loopbackRequest({ url: access.url + path, tls: access.tls });
}

/** Creates or replaces the object, and throws on any response but success. */
export async function apiApply(access: ApiAccess, path: string, object: object): Promise<void> {
  const query = "?fieldManager=keelson-controlplane&force=true";
  await send(access, "PATCH", path + query, "application/apply-patch+yaml", object);
}

/** Creates the object and gives what the server made of it. */
export async function apiCreate(access: ApiAccess, path: string, object: object): Promise<unknown> {
  return JSON.parse(await send(access, "POST", path, "application/json", object));
}

async function send(
  access: ApiAccess,
  method: "POST" | "PATCH",
  path: string,
  contentType: string,
  json: object,
): Promise<string> {
  const { url, tls } = access;
  const { status, body } = await loopbackRequest({
    url: url + path,
    method,
    tls,
    body: { contentType, json },
  });
  if (status >= 300) throw new ApiRequestError(method, path, status, body);
  return body;
}
