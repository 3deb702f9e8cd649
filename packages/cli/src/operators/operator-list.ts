import { groupResourceOf } from "keelson";
import type { LoadedOperator } from "./load-operators.ts";

/** What modules hold, for people: a line for each operator and its kinds. */
export function operatorList(loaded: readonly LoadedOperator[]): string {
  const width = Math.max(...loaded.map(({ operator }) => operator.name.length));
  return loaded
    .map(({ operator: { name, resources }, origin }) => {
      const kinds = resources
        .map((resource) => `${groupResourceOf(resource)}/${resource.version}`)
        .join(", ");
      return `${name.padEnd(width)}  ${origin}${kinds === "" ? "" : `  ${kinds}`}\n`;
    })
    .join("");
}
