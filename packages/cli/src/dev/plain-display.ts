import { type Display, Soon, type View } from "./display.ts";
import { PlainLines } from "./plain-lines.ts";

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
  const tell = (): void => {
    if (look === undefined) return;
    const { rows, summary } = look();
    const news = lines.changes(rows);
    // How many are settled can be counted; that all are is worth a line.
    const isNews = summary !== lastSummary && rows.every(({ isSettled }) => isSettled);
    lastSummary = summary;
    const told = [...news, ...(isNews && summary !== "" ? [summary] : [])];
    if (told.length > 0) stdout.write(`${told.join("\n")}\n`);
  };
  const soon = new Soon(patienceMs, tell);
  return {
    await: () => undefined,
    print: (text) => void stdout.write(text),
    follow: (from) => {
      look = from;
      soon.ask();
    },
    changed: () => soon.ask(),
    note: (text) => void stderr.write(`${text}\n`),
    end: () => {
      soon.cancel();
      tell();
      look = undefined;
    },
  };
}
