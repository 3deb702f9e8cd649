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
