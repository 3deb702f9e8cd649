import type { Row } from "./row.ts";
import { oneLine } from "./text-width.ts";

const longest = 160;

/** Tells rows as lines, one for each that has changed since it was last told; for logs and pipes. */
export class PlainLines {
  readonly #told = new Map<string, { readonly title: string; readonly line: string }>();

  /** What is new about these rows, which are all there are. */
  changes(rows: readonly Row[]): readonly string[] {
    const present = new Set(rows.map(({ id }) => id));
    const gone = [...this.#told].filter(([id]) => !present.has(id));
    for (const [id] of gone) this.#told.delete(id);
    const changed = rows.flatMap((row) => {
      const line = lineOf(row);
      if (this.#told.get(row.id)?.line === line) return [];
      this.#told.set(row.id, { title: titleOf(row), line });
      return [line];
    });
    return [...gone.map(([, { title }]) => `${title}: gone`), ...changed];
  }
}

/** Without its age, which is no change. */
function lineOf(row: Row): string {
  const { phase, ready, problem, event } = row;
  const facts = [phase, ...(ready === undefined ? [] : [`${ready} ready`])].join(", ");
  const told = problem ?? (event === undefined ? undefined : `${event.reason}: ${event.message}`);
  const line = oneLine(`${titleOf(row)}: ${facts}${told === undefined ? "" : `; ${told}`}`);
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}

/** As it is called where its namespace has no column. */
export function titleOf({ title, namespace }: Pick<Row, "title" | "namespace">): string {
  return namespace === undefined || namespace === "default" ? title : `${title} in ${namespace}`;
}
