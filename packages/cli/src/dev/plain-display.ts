import { type Display, Soon, type View } from "./display.ts";
import { oneLine } from "./format.ts";
import type { Row } from "./row.ts";

export interface PlainStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

const patienceMs = 50;

/** Lines, one for each change of a sample: for pipes, files and logs. Warnings and errors go to standard error. */
export function plainDisplay({ stdout, stderr }: PlainStreams): Display {
  const lines = new PlainLines();
  let look: (() => View) | undefined;
  let lastSummary = "";
  let isSummaryNew = false;
  const printChanges = (): void => {
    if (look === undefined) return;
    const { rows, summary } = look();
    const changes = lines.changes(rows);
    // How many are settled can be counted; that all are is worth a line.
    isSummaryNew ||= summary !== lastSummary;
    lastSummary = summary;
    const isAllSettled = isSummaryNew && rows.every(({ isSettled }) => isSettled);
    if (isAllSettled) isSummaryNew = false;
    const printed = [...changes, ...(isAllSettled && summary !== "" ? [summary] : [])];
    if (printed.length > 0) stdout.write(`${printed.join("\n")}\n`);
  };
  const soon = new Soon(patienceMs, printChanges);
  return {
    await: () => undefined,
    print: (text) => void stdout.write(text),
    follow: (from) => {
      look = from;
      soon.schedule();
    },
    changed: () => soon.schedule(),
    note: (text) => void stderr.write(`${text}\n`),
    end: () => {
      soon.cancel();
      printChanges();
      look = undefined;
    },
  };
}

const longest = 160;

/** Prints rows as lines, one for each that has changed since it was last printed; for logs and pipes. */
export class PlainLines {
  readonly #printed = new Map<string, { readonly title: string; readonly line: string }>();

  /** What is new about these rows, which are all there are. */
  changes(rows: readonly Row[]): readonly string[] {
    const present = new Set(rows.map(({ id }) => id));
    const deleted = [...this.#printed].filter(([id]) => !present.has(id));
    for (const [id] of deleted) this.#printed.delete(id);
    const changed = rows.flatMap((row) => {
      const line = lineOf(row);
      if (this.#printed.get(row.id)?.line === line) return [];
      this.#printed.set(row.id, { title: titleOf(row), line });
      return [line];
    });
    return [...deleted.map(([, { title }]) => `${title}: deleted`), ...changed];
  }
}

/** Without its age, which is no change. */
function lineOf(row: Row): string {
  const { phase, ready, problem, event } = row;
  const facts = [phase, ...(ready === undefined ? [] : [`${ready} ready`])].join(", ");
  const detail = problem ?? (event === undefined ? undefined : `${event.reason}: ${event.message}`);
  const line = oneLine(`${titleOf(row)}: ${facts}${detail === undefined ? "" : `; ${detail}`}`);
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

/** As it is called where its namespace has no column. */
export function titleOf({ title, namespace }: Pick<Row, "title" | "namespace">): string {
  return namespace === undefined || namespace === "default" ? title : `${title} in ${namespace}`;
}
