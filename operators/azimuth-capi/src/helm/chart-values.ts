import { createHash } from "node:crypto";
import { isRecord } from "keelson/low-level";
import { formatJson, sortFields } from "keelson/object";
import { toLoggableText } from "keelson/telemetry";
import type { Values } from "./helm.ts";

/** Characters that JSON allows in a string, and that YAML does not allow or takes for the end of a line. */
const notInYaml = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** The values as Helm reads them: JSON that is YAML. */
export function valuesText(values: Values): string {
  return formatJson(values).replace(
    notInYaml,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The same for equal values, whatever the order of their keys; a field that is undefined does not count, one that is null does. */
export function digestOf(values: unknown): string {
  return createHash("sha256")
    .update(formatJson(sortFields(values)))
    .digest("base64");
}

/** Shorter texts are more likely to be a word such as `true` than a secret. */
const shortestSecret = 6;
/** Shorter lines are more likely to be `metadata:` than a part of a key. */
const shortestLine = 20;
const secretName = /secret|passw|passphrase|token|key|credential|auth|cert/i;

/** The texts in values that may be secret: by their names, or because they are files. */
export function secretsIn(values: unknown): readonly string[] {
  const found = new Set<string>();
  const open: (readonly [value: unknown, isSecret: boolean])[] = [[values, false]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, isSecret] = next;
    if (typeof value === "string") {
      const isFile = value.trim().includes("\n");
      if (isSecret || isFile) found.add(value);
      if (isFile) for (const line of linesOf(value)) found.add(line);
    } else if (Array.isArray(value)) for (const item of value) open.push([item, isSecret]);
    else if (isRecord(value))
      for (const [name, field] of Object.entries(value))
        open.push([field, isSecret || secretName.test(name)]);
  }
  // The longest first: one may be a part of another.
  return [...found].filter(({ length }) => length >= shortestSecret).sort((a, b) => b.length - a.length);
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter(({ length }) => length >= shortestLine);
}

/** The text without these secrets, and without what looks like one. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
  return toLoggableText(known);
}
