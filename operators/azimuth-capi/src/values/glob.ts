/** What one place of a pattern stands for: any text, or one character that it accepts. */
type Token = "any text" | ((character: string) => boolean);

/**
 * Whether a text matches a pattern as a whole. `*` is any text, `?` is any character, `[abc0-9]` is one of these characters
 * and `[!abc]` is none of them; everything else is itself, a `[` without its `]` included. Case counts. It takes no longer
 * than the product of both lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = tokensOf([...pattern]);
  const characters = [...text];
  let token = 0;
  let at = 0;
  /** Where to go on if the rest does not match: with the last `*`, and one more character in it. */
  let star: { readonly token: number; readonly at: number } | undefined;
  while (at < characters.length) {
    const accepts = tokens[token];
    if (accepts === "any text") {
      star = { token: token + 1, at };
      token += 1;
    } else if (accepts?.(characters[at] ?? "")) {
      token += 1;
      at += 1;
    } else if (star !== undefined) {
      star = { token: star.token, at: star.at + 1 };
      token = star.token;
      at = star.at;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === "any text");
}

function tokensOf(pattern: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    const end = character === "[" ? endOfSet(pattern, at) : undefined;
    if (end !== undefined) {
      tokens.push(setOf(pattern.slice(at + 1, end)));
      at = end;
    } else if (character === "*") tokens.push("any text");
    else if (character === "?") tokens.push(() => true);
    else tokens.push((each) => each === character);
  }
  return tokens;
}

/** Where the `]` of a set is; undefined if it has none. One that comes first is a member of the set. */
function endOfSet(pattern: readonly string[], start: number): number | undefined {
  const first = start + (pattern[start + 1] === "!" ? 2 : 1);
  const end = pattern.indexOf("]", first + 1);
  return end === -1 ? undefined : end;
}

function setOf(content: readonly string[]): Token {
  const isNegated = content[0] === "!";
  const members = isNegated ? content.slice(1) : content;
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at] ?? "";
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}
