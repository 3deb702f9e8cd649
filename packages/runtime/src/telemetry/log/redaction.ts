import { redacted } from "./sensitive.ts";

/** What credentials are called in texts, as the end of a longer name too, such as `DB_PASSWORD`. */
const words =
  "(?:passw(?:or)?d|passphrase|token|api[-_]?key|private[-_]?key|client[-_]?secret|secret[-_]?key|secret[-_]?access[-_]?key|client-key-data|authorization|cookie)";
/**
 * A text in quotes, also one whose end was cut off or whose quotes are escaped, or what reaches to the next gap; not one
 * that is gone already.
 */
const value = String.raw`(?!\[redacted)(?:"(?:[^"\\]|\\.)*"?|\\{1,7}"[^"\\]*(?:\\{1,7}")?|'[^']*'?|[^\s,;&"'\\})\]]+)`;
/** What an API server says of a field, and not the field's value. */
const verdict = "(?:Invalid|Required|Duplicate|Unsupported|Forbidden|Not found|Too long|Too many)";

/**
 * What secrets look like inside of texts. Each pattern takes time that is linear in the text: no two parts that may
 * repeat stand next to each other and match the same characters.
 */
const disguises: readonly (readonly [RegExp, string])[] = [
  /** The value of an Authorization header, in an error that quotes it. */
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  /** A JSON Web Token, such as that of a service account. */
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, redacted],
  /** A private key, also one whose end was cut off. */
  [
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:(?!-----)[\s\S])*(?:-----END [A-Z0-9 ]*PRIVATE KEY-----)?/g,
    redacted,
  ],
  /** The same in base64, as Secrets and kubeconfigs have it; a certificate, which begins alike, is none. */
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
  /** A field of JSON whose name only ends like one, or which is JSON inside of JSON. */
  [new RegExp(String.raw`(${words}\\{0,7}"\s{0,9}:\s{0,9})${value}`, "gi"), `$1${redacted}`],
  /** `password: …` within a line. */
  [new RegExp(`((?:passw(?:or)?d|passphrase): (?!${verdict} |[{}[(]))${value}`, "gi"), `$1${redacted}`],
  /** The same of names that people write sentences about, such as `get token: connection refused`: no plain words. */
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

/** A Secret that was turned into JSON, as `kubectl apply` leaves it in an annotation; perhaps it says only its type. */
const secretJson =
  /\\{0,7}"kind\\{0,7}"\s{0,9}:\s{0,9}\\{0,7}"Secret(?:List)?\\{0,7}"|"type\\{0,7}"\s{0,9}:\s{0,9}\\{0,7}"(?:Opaque|[\w.-]{1,253}\/[\w.-]{1,253})\\{0,7}"/;
const secretJsonData = /("(?:data|stringData)\\{0,7}"\s*:\s*)\{[^{}]*\}?/g;

/** Nothing of the above is without one of these; most texts are done with here. */
const hint =
  /bearer|basic|eyJ|LS0tLS1|PRIVATE KEY|token|passw|passphrase|key|authorization|cookie|client-|@|Secret|Opaque|"type/i;

/** The text without what looks like a credential. A help for what nobody thought of, not a promise to find it all. */
export function withoutSecrets(text: string): string {
  if (!hint.test(text)) return text;
  const isSecret = secretJson.test(text);
  const start = isSecret ? text.replace(secretJsonData, `$1"${redacted}"`) : text;
  return disguises.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), start);
}

/** Keys whose values are credentials, without case, `-` and `_`. A longer key that ends like one counts too. */
const secretKeyEnd =
  /(?:token|password|passwd|passphrase|authorization|cookie|apikey|privatekey|clientsecret|secretkey|secretaccesskey|clientkeydata)$/;

/** The content of a Secret, and the annotation in which `kubectl apply` keeps all of it once more. */
const contentKeys: ReadonlySet<string> = new Set(["data", "stringData"]);
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** Whether what stands under this key is a credential, as far as its name tells. */
export function isSecretKey(key: string): boolean {
  return secretKeyEnd.test(key.replace(/[-_]/g, "").toLowerCase());
}

export function isContentOfSecret(key: string): boolean {
  return contentKeys.has(key) || key === lastApplied;
}

/**
 * Whether these are the fields of a Secret. Objects of a list do not say their kind, and neither do those to be written:
 * `stringData` and the types of Secrets give them away.
 */
export function isSecret(fields: ReadonlyMap<string, unknown>): boolean {
  if (fields.get("kind") === "Secret" || fields.has("stringData")) return true;
  const type = fields.get("type");
  // Others have types of their own, such as `cluster.x-k8s.io/secret`.
  const isTyped = type === "Opaque" || (typeof type === "string" && type.includes("/"));
  return isTyped && fields.has("data");
}

/**
 * Whether the `value` of these fields is a credential by what stands beside it: a variable of a container that is named
 * like one, or an operation of a JSON patch on a field that is.
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

/** Whether this only names an object, as the fields of a log line do: `{ Token: { namespace, name } }`. */
export function isObjectName(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key === "namespace" || key === "name");
}
