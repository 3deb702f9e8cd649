/** What the text of metrics is called in HTTP. */
export const expositionContentType = "text/plain; version=0.0.4; charset=utf-8";

/** `{controller="webapp",result="success"}`, or nothing where there are no labels. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`).join(",")}}`;
}

/** The lines that come before the samples of a metric. */
export function headText(name: string, help: string, type: string): string {
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
}

export function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/**
 * The bound of a bucket as Go writes it. It is a label, and labels are compared as text: a recording rule that was made
 * for a Go operator must find `1e-08`, which JavaScript would write `1e-8`.
 */
export function boundText(bound: number): string {
  if (!Number.isFinite(bound)) return valueText(bound);
  const [digits, exponentText = ""] = bound.toExponential().split("e");
  const exponent = Number(exponentText);
  if (bound === 0 || (exponent >= -4 && exponent < 21)) return String(bound);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function escapeLabel(value: string): string {
  return /[\\"\n]/.test(value)
    ? value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    : value;
}

function escapeHelp(help: string): string {
  return help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
