import { toError } from "keelson";

/** What a module threw, in a line: what it said, and where in the module, so that an author finds it. */
export function failureInLine(caught: unknown): string {
  const error = toError(caught);
  const said = `${error.name}: ${error.message}`.split("\n", 1)[0] ?? "";
  // The first place is that of the mistake: in the frames of a stack, and before them if the module cannot be parsed.
  const [place] = /(file:\/\/)?\/[^\s():]+:\d+(:\d+)?/.exec(error.stack ?? "") ?? [];
  return place === undefined ? said : `${said} (at ${place})`;
}
