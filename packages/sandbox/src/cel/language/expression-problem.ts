/** One thing that is wrong with an expression, and where. */
export interface Finding {
  readonly text: string;
  readonly offset: number;
}

/** An expression cannot be read; carries what is wrong with it. */
export class ExpressionProblem extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[], options?: ErrorOptions) {
    super(findings.map(({ text }) => text).join("; "), options);
    this.findings = findings;
  }
}

const mostShown = 100;

/** `ERROR: <input>:1:5: undefined field 'foo'` with the line and a mark below it, as the real server shows it. */
export function findingsText(expression: string, findings: readonly Finding[]): string {
  const sorted = findings.toSorted((one, other) => one.offset - other.offset);
  const shown = sorted.slice(0, mostShown).map((finding) => findingText(expression, finding));
  const more = sorted.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more errors were truncated`] : [])].join("\n");
}

function findingText(expression: string, { text, offset }: Finding): string {
  if (offset < 0) return `ERROR: <input>:-1:0: ${text}`;
  const before = expression.slice(0, offset);
  const line = before.split("\n").length;
  const columns = [...before.slice(before.lastIndexOf("\n") + 1)];
  const source = (expression.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
  const dots = columns.map((character) => (isWide(character) ? "\uff0e" : ".")).join("");
  const marked = [...source][columns.length];
  const mark = marked !== undefined && isWide(marked) ? "\uff3e" : "^";
  return `ERROR: <input>:${line}:${columns.length + 1}: ${text}\n | ${source}\n | ${dots}${mark}`;
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}
