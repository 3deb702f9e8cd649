const replacement = "[redacted]";

/** Shorter texts are parts of most words, and no secrets. */
const shortestSecret = 3;

/** The text without the secrets that it contains, as they are, in a URI or as base64. */
export function redactSecrets(text: string, secrets: Iterable<string>): string {
  const forms = [...secrets].flatMap((secret) => [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    Buffer.from(secret).toString("base64"),
  ]);
  return [...new Set(forms)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
    .reduce((rest, form) => rest.replaceAll(form, () => replacement), text);
}
