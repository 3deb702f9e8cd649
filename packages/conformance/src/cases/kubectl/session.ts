import { type ConformanceCase, conforms } from "../../conformance-case.ts";
import type { Stage } from "../../stage.ts";

/**
 * What happens next: a command line of kubectl; one that is given something to read, an object or a text; or anything
 * else that a case does. In a command line `$ns` is the case's namespace, and blanks between single quotes stay.
 */
export type Step = string | readonly [command: string, input: unknown] | ((stage: Stage) => Promise<unknown>);

/** A case that is a row of command lines. */
export function session(name: string, ...steps: readonly Step[]): ConformanceCase {
  return conforms(name, async (stage) => {
    for (const step of steps) await take(step, stage);
  });
}

async function take(step: Step, stage: Stage): Promise<void> {
  if (typeof step === "function") {
    await step(stage);
    return;
  }
  const [command, input] = typeof step === "string" ? [step] : step;
  const words = wordsOf(command.replaceAll("$ns", stage.namespace));
  await stage.kubectl(words, input === undefined ? {} : { input: inputText(input, stage) });
}

/** The words of a command line, as a shell would find them. */
function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:[^\s']|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll("'", ""));
}

function inputText(input: unknown, { namespace }: Stage): string {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return text.replaceAll("$ns", namespace);
}

/** Several objects in one file. */
export function list(...items: readonly unknown[]): unknown {
  return { apiVersion: "v1", kind: "List", items };
}
