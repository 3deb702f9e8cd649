import { toError } from "keelson";

/** What a module threw, in a line: what it said, and where in the module, so that an author finds it. */
export function failureInLine(caught: unknown): string {
  const { name, message } = toError(caught);
  const said = `${name}: ${message}`.split("\n", 1)[0] ?? "";
  const place = caught instanceof Error ? placeIn(caught.stack ?? "") : undefined;
  return place === undefined ? said : `${said} (at ${place})`;
}

/** The first place is that of the mistake: in the frames of a stack, and before them if the module cannot be parsed. */
function placeIn(stack: string): string | undefined {
  // What is within Node, such as node:internal/modules/esm/resolve:274:11, helps nobody.
  const [place] = /(?<![\w.-])(file:\/\/)?\/[^\s():]+:\d+(:\d+)?/.exec(stack) ?? [];
  return place;
}
