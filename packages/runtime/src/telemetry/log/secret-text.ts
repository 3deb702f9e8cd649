import { redacted } from "./sensitive.ts";

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
  /** The credentials of a kubeconfig, as YAML or JSON. */
  [
    /(^[ \t-]*|[{,]\s*)("?(?:client-key-data|token|id-token|access-token|refresh-token|client-secret|password)"?\s*:\s*)("[^"]*"|[^\s,}"]+)/gm,
    `$1$2${redacted}`,
  ],
  /** `https://user:password@host`. */
  [/\/\/[^\s/:@]*:[^\s/@]+@/g, `//${redacted}@`],
];

/** A Secret that was turned into JSON, as `kubectl apply` leaves it in an annotation. */
const secretJson = /"kind"\s*:\s*"Secret(?:List)?"/;
const secretJsonData = /("(?:data|stringData)"\s*:\s*)\{[^{}]*\}?/g;

/** Nothing of the above is without one of these; most texts are done with here. */
const hint = /bearer|basic|eyJ|PRIVATE KEY|token|password|client-|@|Secret/i;

/** The text without what looks like a credential. A help for what nobody thought of, not a promise to find it all. */
export function withoutSecrets(text: string): string {
  if (!hint.test(text)) return text;
  const isSecret = secretJson.test(text);
  const start = isSecret ? text.replace(secretJsonData, `$1"${redacted}"`) : text;
  return disguises.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), start);
}
