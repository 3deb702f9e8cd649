import { goKind } from "./go-type.ts";
import { isJsonObject } from "./json-kind.ts";
import { JsonSyntaxError } from "./json-syntax-error.ts";
import { type ParsedJson, parseJson } from "./parse-json.ts";

/** A body with the kind that it names; both are empty if it names none. */
export interface RecognizedJson extends ParsedJson {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Parses a body and reads which kind it is. Throws JsonSyntaxError, in the words with which the server refuses what it
 * cannot recognize; the body is quoted at the end of the message.
 */
export function recognizeJson(body: Uint8Array, expectedKind: string): RecognizedJson {
  try {
    return typedJson(parseJson(new TextDecoder().decode(body)));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const reason =
      error instanceof VersionError
        ? error.message
        : `couldn't get version/kind; json parse error: ${error.message}`;
    throw new JsonSyntaxError(unrecognized(body, expectedKind, reason), { cause: error });
  }
}

/** How the server refuses a body that it cannot recognize. */
function unrecognized(body: Uint8Array, expectedKind: string, reason: string): string {
  return `the object provided is unrecognized (must be of type ${expectedKind}): ${reason} (${summary(body)})`;
}

class VersionError extends JsonSyntaxError {
  static override readonly brand: string = "@keelson/sandbox.VersionError";
}

function typedJson(parsed: ParsedJson): RecognizedJson {
  const { value } = parsed;
  if (value !== null && !isJsonObject(value))
    throw new JsonSyntaxError(
      `json: cannot unmarshal ${goKind(value)} into Go value of type struct { APIVersion string ` +
        '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    );
  const textOf = (name: "apiVersion" | "kind"): string => {
    const text = value?.[name] ?? "";
    if (typeof text === "string") return text;
    throw new JsonSyntaxError(
      `json: cannot unmarshal ${goKind(text)} into Go struct field .${name} of type string`,
    );
  };
  const apiVersion = textOf("apiVersion");
  if (apiVersion.split("/").length > 2)
    throw new VersionError(`unexpected GroupVersion string: ${apiVersion}`);
  return { ...parsed, apiVersion, kind: textOf("kind") };
}

const summaryBytes = 30;

function summary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const start = body.subarray(0, summaryBytes);
  const isObject = body[0] === "{".charCodeAt(0);
  const text = isObject ? new TextDecoder().decode(start) : Buffer.from(start).toString("hex");
  return body.length > summaryBytes ? `${text} ...` : text;
}
