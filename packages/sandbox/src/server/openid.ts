import type { TokenIssuer } from "../auth/service-account-tokens.ts";
import { notAcceptable } from "../status/request-errors.ts";
import { parseAccept } from "./request/accepted-type.ts";
import type { ApiResponse } from "./response/response.ts";

const keysPath = "/openid/v1/jwks";
const configurationPath = "/.well-known/openid-configuration";
const cached = { "cache-control": "public, max-age=3600" };

/** The paths that other programs verify the tokens of ServiceAccounts with. */
export const openIdPaths: readonly string[] = [configurationPath, keysPath];

/** The response of the endpoints of OpenID Connect; undefined for other paths. */
export function openIdResponse(
  path: string,
  { accept, host = "kubernetes.default.svc" }: Readonly<Record<string, string>>,
  tokens: TokenIssuer,
): ApiResponse | undefined {
  if (path === keysPath) {
    return documentResponse("application/jwk-set+json", accept, { keys: [tokens.publicKey()] });
  }
  if (path !== configurationPath) return undefined;
  return documentResponse("application/json", accept, {
    issuer: tokens.issuer,
    jwks_uri: `https://${host}${keysPath}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [tokens.publicKey().alg],
  });
}

function documentResponse(type: string, accept: string | undefined, document: object): ApiResponse {
  const accepted = parseAccept(accept ?? "");
  const isAccepted = accepted.length === 0 || accepted.some((clause) => covers(clause.type, type));
  if (!isAccepted) throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${type}`, {});
  return { status: 200, headers: { ...cached, "content-type": type }, body: JSON.stringify(document) };
}

function covers(accepted: string, type: string): boolean {
  return accepted === type || accepted === "*/*" || accepted === "application/*";
}
