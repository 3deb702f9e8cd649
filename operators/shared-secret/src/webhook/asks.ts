import { posix } from "node:path";
import { formatKey } from "keelson";
import { cutText, dnsLabelProblem } from "keelson/low-level";
import type { Permission } from "../api/consumer.ts";
import { group } from "../api/names.ts";
import type { SecretKey } from "../policy/policy.ts";

/** The prefixes of annotations of pods: that of the original, and that of this operator. */
export const annotationPrefixes: readonly string[] = ["tororu.zondax.io/", `${group}/`];

/** The beginning of the annotations of this operator by which pods ask for access. */
export const askPrefix = `${group}/secret-`;

/** On pods: the folder in which the values of SharedSecrets are mounted. */
export const mountPathAnnotation = `${group}/mount-path`;
const example = "namespace/name, such as shop/orders-db";

const permissionOfAnnotation = new Map<string, Permission>([
  ["secret-ro", "ReadOnly"],
  ["secret-rw", "ReadWrite"],
]);

/** That a pod wants to use a SharedSecret. */
export interface Ask {
  readonly secret: SecretKey;
  readonly permission: Permission;
}

/** What the annotations of a pod ask for. */
export interface Asks {
  /** Each SharedSecret once, sorted. */
  readonly asks: readonly Ask[];
  /** Where the values are mounted; undefined if they are not. */
  readonly mountPath: string | undefined;
  /** What is wrong with the annotations. */
  readonly problems: readonly string[];
}

/**
 * Reads the annotations of a pod in a namespace. Both prefixes count; of a SharedSecret that is asked for twice, the
 * greater permission. A pod with the annotation `managed: "false"` asks for nothing.
 */
export function asksOf(annotations: Readonly<Record<string, string>>, namespace: string): Asks {
  const isOff = annotationPrefixes.some((prefix) => annotations[`${prefix}managed`] === "false");
  if (isOff) return { asks: [], mountPath: undefined, problems: [] };
  const found = new Map<string, Ask>();
  const problems: string[] = unknownAsks(annotations);
  for (const [annotation, permission] of askAnnotations()) {
    for (const entry of annotations[annotation]?.split(",") ?? []) {
      const secret = parseSecret(entry.trim(), namespace);
      if (secret === undefined) problems.push(entryProblem(annotation, entry.trim()));
      // Read-write ones come last, and replace read-only ones.
      else found.set(formatKey(secret), { secret, permission });
    }
  }
  const { mountPath, problem } = readMountPath(annotations[mountPathAnnotation]);
  const asks = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ask]) => ask);
  return { asks, mountPath, problems: problem === undefined ? problems : [...problems, problem] };
}

/** What a pod was given, as its annotation says it: `shop/orders-db:ReadOnly`, with commas. */
export function formatInjected(asks: readonly Ask[]): string {
  return asks.map(({ secret, permission }) => `${formatKey(secret)}:${permission}`).join(",");
}

function askAnnotations(): readonly (readonly [string, Permission])[] {
  return [...permissionOfAnnotation].flatMap(([name, permission]) =>
    annotationPrefixes.map((prefix) => [`${prefix}${name}`, permission] as const),
  );
}

/** The SharedSecret that `namespace/name` or `name` stands for; undefined if no SharedSecret can have that name. */
function parseSecret(text: string, podNamespace: string): SecretKey | undefined {
  const parts = text.split("/");
  const [namespace = "", name = ""] = parts.length === 1 ? [podNamespace, text] : parts;
  const isName = parts.length <= 2 && [namespace, name].every((part) => dnsLabelProblem(part) === undefined);
  return isName ? { namespace, name } : undefined;
}

function entryProblem(annotation: string, entry: string): string {
  return entry === ""
    ? `annotation ${annotation}: a name is empty; write ${example}, with commas between several, or remove it`
    : `annotation ${annotation}: ${quoted(entry)} names no SharedSecret; write ${example}, with commas between several`;
}

function unknownAsks(annotations: Readonly<Record<string, string>>): string[] {
  const known = askAnnotations().map(([annotation]) => annotation);
  return Object.keys(annotations)
    .filter((key) => key.startsWith(askPrefix) && !known.includes(key))
    .sort()
    .map((key) => `annotation ${key}: it is not known; write ${askPrefix}ro or ${askPrefix}rw`);
}

function readMountPath(text: string | undefined): {
  readonly mountPath: string | undefined;
  readonly problem?: string;
} {
  if (text === undefined) return { mountPath: undefined };
  const path = posix.normalize(text).replace(/\/+$/, "");
  // A container cannot mount a path with a colon; a path with `..` would be mounted elsewhere than it says.
  const isPath = path.startsWith("/") && !text.includes(":") && !text.split("/").includes("..");
  if (isPath) return { mountPath: path };
  const advice = "write an absolute path without colons and .., such as /etc/secrets";
  return {
    mountPath: undefined,
    problem: `annotation ${mountPathAnnotation}: ${quoted(text)} cannot be mounted; ${advice}`,
  };
}

function quoted(text: string): string {
  return JSON.stringify(cutText(text, 100));
}
