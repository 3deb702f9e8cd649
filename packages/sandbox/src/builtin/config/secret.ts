import type { Secret } from "@keelson/core/kinds/core/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, keyed, required } from "../../status/field-problem.ts";
import { builtinStrategy, type GivenDraft, type GivenObject } from "../builtin-strategy.ts";
import { immutableField } from "../value-problems.ts";
import { dataLimitBytes, immutableDataProblems, keyProblems, tooLong } from "./config-map.ts";

export const secretStrategy: Strategy = builtinStrategy<Secret>({
  initialStatus: "none",
  setDefaults(secret) {
    secret.type ||= "Opaque";
    encodeText(secret);
  },
  validate: secretProblems,
  validateUpdate: (secret, old) => [
    ...immutableField(secret.type, old.type, "type"),
    ...immutableDataProblems(secret, old, ["data"]),
  ],
});

/** What is written as text is kept like the rest, and wins over it. */
function encodeText(secret: GivenDraft<Secret>): void {
  const { stringData } = secret;
  if (stringData === undefined) return;
  delete secret.stringData;
  const encoded = Object.entries(stringData).map(([key, text]) => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  if (encoded.length > 0) secret.data = { ...secret.data, ...Object.fromEntries(encoded) };
}

function secretProblems(secret: GivenObject<Secret>): readonly FieldProblem[] {
  const { data = {} } = secret;
  const problems: FieldProblem[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    problems.push(...keyProblems("data", key));
    size += Buffer.byteLength(value, "base64");
  }
  if (size > dataLimitBytes) problems.push(tooLong("data", dataLimitBytes));
  return [...problems, ...typeProblems(secret)];
}

const accountName = "kubernetes.io/service-account.name";

function typeProblems(secret: GivenObject<Secret>): readonly FieldProblem[] {
  const { data = {}, type = "", metadata } = secret;
  const needed = (...keys: readonly string[]): readonly FieldProblem[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(keyed("data", key)));
  switch (type) {
    case "kubernetes.io/service-account-token":
      return metadata.annotations?.[accountName]
        ? []
        : [required(keyed("metadata.annotations", accountName))];
    case "kubernetes.io/dockercfg":
      return jsonProblems(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return jsonProblems(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const missing = needed("username", "password");
      return missing.length === 2 ? missing : [];
    }
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [required(keyed("data", "ssh-privatekey"))];
    case "kubernetes.io/tls":
      return needed("tls.crt", "tls.key");
    default:
      return [];
  }
}

function jsonProblems(data: Readonly<Record<string, string>>, key: string): readonly FieldProblem[] {
  const value = data[key];
  const field = keyed("data", key);
  if (value === undefined) return [required(field)];
  const text = Buffer.from(value, "base64").toString();
  const problem = jsonProblem(text);
  return problem === undefined ? [] : [invalidValue(field, "<secret contents redacted>", problem)];
}

/** In the words of Go's decoder where it fails at once, which is what happens to texts that are not JSON at all. */
function jsonProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && !Array.isArray(value)) return undefined;
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    // The parser's own words are not the server's.
    const start = text.trim();
    if (start === "") return "unexpected end of JSON input";
    return `invalid character '${start.charAt(0)}' looking for beginning of value`;
  }
}
