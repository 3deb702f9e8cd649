import { redacted } from "./sensitive.ts";

/** The names of credentials in texts, also as the end of a longer name, such as `DB_PASSWORD`. */
const words =
  "(?:passw(?:or)?d|passphrase|token|api[-_]?key|private[-_]?key|client[-_]?secret|secret[-_]?key|secret[-_]?access[-_]?key|client-key-data|authorization|cookie)";
/**
 * A quoted text, also one that is cut off or whose quotes are escaped, or the characters up to the next separator; not one
 * that is redacted already.
 */
const value = String.raw`(?!\[redacted)(?:"(?:[^"\\]|\\.)*"?|\\{1,7}"[^"\\]*(?:\\{1,7}")?|'[^']*'?|[^\s,;&"'\\})\]]+)`;
/** The words of an API server about a field, which are not its value. */
const verdict = "(?:Invalid|Required|Duplicate|Unsupported|Forbidden|Not found|Too long|Too many)";

/**
 * The patterns of secrets in texts. Each takes linear time: no two adjacent parts that may repeat match the same
 * characters.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  /** The value of an Authorization header, in an error that quotes it. */
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  /** A JSON Web Token, such as that of a service account. */
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, redacted],
  /** A private key, also one whose end was cut off. */
  [
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:(?!-----)[\s\S])*(?:-----END [A-Z0-9 ]*PRIVATE KEY-----)?/g,
    redacted,
  ],
  /** The same in base64, as in Secrets and kubeconfigs; not a certificate, which starts alike. */
  [/LS0tLS1CRUdJTi(?!BDRVJUSUZJQ0FURS)[\w+/]+=*/g, redacted],
  /** The credentials of a kubeconfig, as YAML or JSON. */
  [
    new RegExp(
      String.raw`(^[ \t-]*|[{,]\s*)("?(?:client-key-data|(?:id-|access-|refresh-)?token|client-secret|password)"?\s*:\s*)${value}`,
      "gm",
    ),
    `$1$2${redacted}`,
  ],
  /** `?token=…`, `password=…`. */
  [new RegExp(`(${words}=)${value}`, "gi"), `$1${redacted}`],
  /** A field of JSON whose name ends like that of a credential, or JSON inside of JSON. */
  [new RegExp(String.raw`(${words}\\{0,7}"\s{0,9}:\s{0,9})${value}`, "gi"), `$1${redacted}`],
  /** `password: …` within a line. */
  [new RegExp(`((?:passw(?:or)?d|passphrase): (?!${verdict} |[{}[(]))${value}`, "gi"), `$1${redacted}`],
  /** The same for names that occur in sentences, such as `get token: connection refused`: plain words are kept. */
  [
    new RegExp(
      String.raw`(${words}: (?!${verdict} |(?:Bearer|Basic) |[{}[(]|[A-Za-z]+[:,.;!?)]*(?:\s|$)))${value}`,
      "gi",
    ),
    `$1${redacted}`,
  ],
  /** The value that an API server quotes when it refuses it. */
  [new RegExp(`(${words}: ${verdict} value: )${value}`, "gi"), `$1${redacted}`],
  /** A variable of a container, as JSON. */
  [
    new RegExp(String.raw`("name"\s?:\s?"[\w.-]{0,99}${words}"\s?,\s?"value"\s?:\s?)${value}`, "gi"),
    `$1${redacted}`,
  ],
  /** `https://user:password@host`. */
  [/\/\/[^\s/:@]*:[^\s/@]+@/g, `//${redacted}@`],
];

/** A Secret as JSON, as in the annotation of `kubectl apply`; it may be known only by its type. */
const secretJson =
  /\\{0,7}"kind\\{0,7}"\s{0,9}:\s{0,9}\\{0,7}"Secret(?:List)?\\{0,7}"|"type\\{0,7}"\s{0,9}:\s{0,9}\\{0,7}"(?:Opaque|[\w.-]{1,253}\/[\w.-]{1,253})\\{0,7}"/;
const secretJsonData = /("(?:data|stringData)\\{0,7}"\s*:\s*)\{[^{}]*\}?/g;

/** Every pattern above needs one of these, so that most texts are done after this test. */
const hint =
  /bearer|basic|eyJ|LS0tLS1|PRIVATE KEY|token|passw|passphrase|key|authorization|cookie|client-|@|Secret|Opaque|"type/i;

/** Redacts what looks like a credential. A safety net, which does not promise to find every secret. */
export function withoutSecrets(text: string): string {
  if (!hint.test(text)) return text;
  const isSecret = secretJson.test(text);
  const start = isSecret ? text.replace(secretJsonData, `$1"${redacted}"`) : text;
  return patterns.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), start);
}

/** The ends of keys whose values are credentials, ignoring case, `-` and `_`. */
const secretKeyEnd =
  /(?:token|password|passwd|passphrase|authorization|cookie|apikey|privatekey|clientsecret|secretkey|secretaccesskey|clientkeydata)$/;

/** The fields of a Secret with its content, and the annotation in which `kubectl apply` stores a copy. */
const contentKeys: ReadonlySet<string> = new Set(["data", "stringData"]);
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Whether the value of this key is a credential, by the name of the key. */
export function isSecretKey(key: string): boolean {
  return secretKeyEnd.test(key.replace(/[-_]/g, "").toLowerCase());
}

/** Whether this field of a Secret has its content. */
export function isContentOfSecret(key: string): boolean {
  return contentKeys.has(key) || key === lastApplied;
}

/**
 * Whether these are the fields of a Secret. Objects in a list and objects to be written may have no kind; they are
 * recognized by `stringData` and by the types of Secrets.
 */
export function isSecret(fields: ReadonlyMap<string, unknown>): boolean {
  if (fields.get("kind") === "Secret" || fields.has("stringData")) return true;
  const type = fields.get("type");
  // Projects define their own types, such as `cluster.x-k8s.io/secret`.
  const isTyped = type === "Opaque" || (typeof type === "string" && type.includes("/"));
  return isTyped && fields.has("data");
}

/**
 * Whether the `value` among these fields is a credential by the fields beside it: a variable of a container with the name
 * of a credential, or a JSON patch operation on such a field.
 */
export function hasSecretValue(fields: ReadonlyMap<string, unknown>): boolean {
  if (!fields.has("value")) return false;
  const name = fields.get("name");
  if (typeof name === "string" && isSecretKey(name)) return true;
  const path = fields.get("path");
  if (!fields.has("op") || typeof path !== "string") return false;
  const steps = path.split("/");
  return steps.includes("stringData") || isSecretKey(steps.at(-1) ?? "");
}

/** Whether this is only a key of an object, as in the fields of a line: `{ Token: { namespace, name } }`. */
export function isObjectName(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key === "namespace" || key === "name");
}
