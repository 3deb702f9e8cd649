import { type JsonNode, parseDocument } from "./json-document.ts";

/** How a number is written in the text, at a path that leads to it; undefined if there is no text. */
export function numberText(text: string | undefined, path: readonly (string | number)[]): string | undefined {
  if (text === undefined) return undefined;
  let node: JsonNode | undefined = parseDocument(text);
  for (const part of path) {
    if (node?.kind === "array" && typeof part === "number") node = node.items[part];
    else if (node?.kind === "object") node = node.entries.findLast(({ name }) => name === part)?.node;
    else return undefined;
  }
  return node?.kind === "number" ? node.text : undefined;
}
