/** What the fields of messages are called in JSON, by `Type.field` with the field's name in the message. */
export type JsonNames = ReadonlyMap<string, JsonName>;

export interface JsonName {
  readonly name: string;
  /** Whether its fields stand in its place. */
  readonly isInlined: boolean;
}

/** Reads the tags of the structs in Go source text, which hold both names of a field. */
export function jsonNamesIn(goSource: string): JsonNames {
  const names = new Map<string, JsonName>();
  let type = "";
  for (const line of goSource.split("\n")) {
    const [, started] = /^type (\w+) struct\b/.exec(line) ?? [];
    if (started !== undefined) type = started;
    const [, json = ""] = /json:"([^"]*)"/.exec(line) ?? [];
    const [, field] = /protobuf:"[^"]*\bname=(\w+)/.exec(line) ?? [];
    if (field === undefined) continue;
    const [name = "", ...flags] = json.split(",");
    const isInlined = name === "" && flags.includes("inline");
    if (name !== "" || isInlined)
      names.set(`${type}.${field}`, { name: isInlined ? field : name, isInlined });
  }
  return names;
}
