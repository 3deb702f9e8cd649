/** The indexes in a text such as `0-2,5`, as far as they are below the limit. Stops at what it cannot read. */
export function parseIndexes(text: string | undefined, limit: number): ReadonlySet<number> {
  const indexes = new Set<number>();
  if (text === undefined || text === "") return indexes;
  for (const part of text.split(",")) {
    const bounds = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (bounds === null) break;
    const first = Number(bounds[1]);
    const last = Math.min(Number(bounds[2] ?? bounds[1]), limit - 1);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

export function formatIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  let first: number | undefined;
  const ordered = [...indexes].sort((a, b) => a - b);
  for (const [position, index] of ordered.entries()) {
    first ??= index;
    if (ordered[position + 1] === index + 1) continue;
    // Two in a row are written one by one.
    if (first === index) parts.push(String(index));
    else parts.push(first + 1 === index ? `${first},${index}` : `${first}-${index}`);
    first = undefined;
  }
  return parts.join(",");
}
