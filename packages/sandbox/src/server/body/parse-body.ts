import { formatJson, KeelsonError } from "@keelson/core";
import { JsonSyntaxError } from "../../schema/json-document.ts";
import { type ParsedJson, parseJson } from "../../schema/parse-json.ts";
import { tooLarge, unsupportedMediaType } from "../../status/request-errors.ts";
import { parseYaml, YamlSyntaxError } from "./parse-yaml.ts";
import { protobufToJson } from "./protobuf/decode-envelope.ts";
import { MalformedMessageError } from "./protobuf/wire-reader.ts";

/** A body that cannot be parsed; the message is the server's. */
export class UnreadableBodyError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.UnreadableBodyError";
  readonly code = "UNREADABLE_BODY";
}

type BodyFormat = "json" | "yaml" | "protobuf";

/** The media types of objects in requests. */
const acceptedTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The format of a body; JSON without a content type. Throws ApiError for an unsupported media type. */
export function bodyFormat(contentType: string | undefined, isCustom = false): BodyFormat {
  const type = mediaTypeOf(contentType);
  if (type === "" || type === "application/json") return "json";
  if (type === "application/yaml") return "yaml";
  // Custom kinds have no messages.
  if (type === "application/vnd.kubernetes.protobuf" && !isCustom) return "protobuf";
  throw unsupportedMediaType(acceptedTypes);
}

/** The media type without parameters. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Throws UnreadableBodyError. */
export function parseBody(body: Uint8Array, format: BodyFormat): ParsedJson {
  if (format === "protobuf") return parseProtobuf(body);
  const text = bodyText(body);
  if (format === "yaml") return parseYamlBody(text);
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new UnreadableBodyError(error.message, { cause: error });
    throw error;
  }
}

/** Typed Go clients send built-in kinds as protobuf, and accept JSON in the response. */
function parseProtobuf(body: Uint8Array): ParsedJson {
  try {
    return parseJson(protobufToJson(body));
  } catch (error) {
    if (error instanceof MalformedMessageError)
      throw new UnreadableBodyError(error.message, { cause: error });
    throw error;
  }
}

/** Parses YAML and converts it to JSON. */
function parseYamlBody(text: string): ParsedJson {
  const parsedJson = parseYamlAsJson(text);
  if (parsedJson !== undefined) return parsedJson;
  try {
    const { value, strictProblem } = parseYaml(text);
    const parsed = parseJson(formatJson(value));
    return strictProblem === undefined ? parsed : { ...parsed, yamlProblem: strictProblem };
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw new UnreadableBodyError(error.message, { cause: error });
    // Cycles, or values that JSON does not have: the text is wrong, not the parser.
    const why = error instanceof Error ? error.message : "cannot be read";
    throw new UnreadableBodyError(`yaml: ${why}`, { cause: error });
  }
}

/** Most YAML that programs send is JSON, which is parsed much faster. Undefined for what YAML could see otherwise. */
function parseYamlAsJson(text: string): ParsedJson | undefined {
  if (!text.startsWith("{") || text.includes("\t")) return undefined;
  try {
    const parsed = parseJson(text);
    return parsed.hasDuplicates ? undefined : parsed;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** The Go type of apiVersion and kind in messages. */
export const typeMeta: string =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The beginning of a body that is not an object, for messages. */
export function bodySummary(body: Uint8Array): string {
  const most = 30;
  if (body.length === 0) return "<empty>";
  const isCut = body.length > most;
  const shown = Buffer.from(body.subarray(0, most));
  const text = body[0] === 0x7b ? shown.toString() : shown.toString("hex");
  return isCut ? `${text} ...` : text;
}

/** The largest body of a request, in bytes. */
const bodyLimit: number = 3 * 1024 * 1024;

/** Reads a body to its end. Throws ApiError as soon as it is too large. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > bodyLimit) throw tooLarge(bodyLimit);
    chunks.push(chunk);
  }
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size);
}

const decoder = new TextDecoder();

export function bodyText(body: Uint8Array): string {
  return decoder.decode(body);
}
