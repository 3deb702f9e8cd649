import { JsonSyntaxError } from "../../schema/json-document.ts";
import { parseJson } from "../../schema/parse-json.ts";
import { type ApiError, badRequest } from "../../status/api-error.ts";

/** Where the next page of a list begins. */
export interface ContinueToken {
  /** That of the first page; undefined: the current one, although earlier pages had another. */
  readonly revision: number | undefined;
  /** The key of the last object of the page before. */
  readonly after: string;
}

const tokenVersion = "meta.k8s.io/v1";

/** With a namespace, the keys in the token are without it. */
export function encodeContinue({ revision, after }: ContinueToken, namespace: string | undefined): string {
  const start = namespace === undefined ? after : after.slice(namespace.length);
  const json = JSON.stringify({ v: tokenVersion, rv: revision ?? -1, start: `${start}\0` });
  return Buffer.from(json).toString("base64url");
}

/** Throws ApiError if the token is invalid. */
export function decodeContinue(token: string, namespace: string | undefined): ContinueToken {
  const { v, rv, start } = parse(token);
  if (v !== tokenVersion) throw refuse(`server does not recognize this encoded version ${v ?? ""}`);
  if (rv === undefined || rv === 0) {
    throw refuse(`incorrect encoded start resourceVersion (version ${tokenVersion})`);
  }
  if (start === undefined || start === "") throw refuse(`encoded start key empty (version ${tokenVersion})`);
  if (`/${start}/`.includes("/../") || start.startsWith("//")) throw refuse(start);
  const key = start.replace(/^\//, "").replace(/\0$/, "");
  return { revision: rv < 0 ? undefined : rv, after: namespace === undefined ? key : `${namespace}/${key}` };
}

interface TokenFields {
  readonly v: string | undefined;
  readonly rv: number | undefined;
  readonly start: string | undefined;
}

function parse(token: string): TokenFields {
  const unpadded = token.replace(/=+$/, "");
  const strange = unpadded.search(/[^A-Za-z0-9_-]/);
  if (strange !== -1) throw refuse(`illegal base64 data at input byte ${strange}`);
  if (unpadded.length % 4 === 1) throw refuse(`illegal base64 data at input byte ${unpadded.length - 1}`);
  let value: unknown;
  try {
    value = parseJson(Buffer.from(unpadded, "base64url").toString()).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw refuse(error.message);
    throw error;
  }
  const fields = new Map<string, unknown>(Object.entries(Object(value)));
  const [v, rv, start] = [fields.get("v"), fields.get("rv"), fields.get("start")];
  return {
    v: typeof v === "string" ? v : undefined,
    rv: typeof rv === "number" && Number.isInteger(rv) ? rv : undefined,
    start: typeof start === "string" ? start : undefined,
  };
}

function refuse(why: string): ApiError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
