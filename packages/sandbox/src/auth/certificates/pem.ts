/** A block of PEM text. */
export interface PemBlock {
  /** `CERTIFICATE` */
  readonly label: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const block = /-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----/g;
const header = /^[^\n:]+:.*$/m;

/** The PEM blocks of a text; other text around them is ignored. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(block)].flatMap(([, label = "", body = ""]) => {
    const hasHeaders = header.test(body);
    const base64 = (hasHeaders ? body.slice(body.search(/\r?\n\r?\n/)) : body).replaceAll(/\s/g, "");
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) return [];
    return [{ label, hasHeaders, bytes: Buffer.from(base64, "base64") }];
  });
}

/** A PEM block in lines of 64 characters. */
export function writePem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
