const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

const escaped =
  /\\(?:([abfnrtv\\'"`?])|([xX])([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3][0-7]{2})|(.?))/gs;

/** The text that a quoted literal stands for; undefined if it has an escape that does not exist. */
export function unquote(literal: string): string | undefined {
  const { body, isRaw } = bodyOf(literal);
  if (isRaw) return body;
  let isValid = true;
  const text = body.replaceAll(escaped, (_whole, ...groups: (string | undefined)[]) => {
    const [simple, , hex, short, long, octal] = groups;
    if (simple !== undefined) return escapes[simple] ?? "";
    const point =
      octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8);
    isValid &&= point <= 0x10_ffff && !(point >= 0xd800 && point <= 0xdfff);
    return isValid ? String.fromCodePoint(point) : "";
  });
  return isValid ? text : undefined;
}

/** The bytes of a literal such as `b'\xff'`, in which one escape of two or three digits is one byte. */
export function unquoteBytes(literal: string): Uint8Array | undefined {
  const { body, isRaw } = bodyOf(literal.slice(1));
  if (isRaw) return new Uint8Array(Buffer.from(body));
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of body.matchAll(escaped)) {
    const [whole, simple, , hex, , , octal] = match;
    parts.push(Buffer.from(body.slice(last, match.index)));
    last = match.index + whole.length;
    if (simple !== undefined) parts.push(Buffer.from(escapes[simple] ?? ""));
    else if (hex !== undefined) parts.push(Buffer.of(Number.parseInt(hex, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(Number.parseInt(octal, 8)));
    else return undefined;
  }
  return new Uint8Array(Buffer.concat([...parts, Buffer.from(body.slice(last))]));
}

function bodyOf(literal: string): { readonly body: string; readonly isRaw: boolean } {
  const isRaw = /^[rR]/.test(literal);
  const quoted = isRaw ? literal.slice(1) : literal;
  const width = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  return { body: quoted.slice(width, -width).replaceAll(/\r\n?/g, "\n"), isRaw };
}
