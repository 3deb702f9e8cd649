/** The path of a field, at most three names long: its own, after those of the two objects that it is in. */
export type FieldPath = string;

export function pathIn(path: FieldPath, field: string): FieldPath {
  if (path === "") return field;
  const first = path.indexOf(".");
  const isLong = first !== -1 && path.indexOf(".", first + 1) !== -1;
  return `${isLong ? path.slice(first + 1) : path}.${field}`;
}

export function isAmong(fields: ReadonlySet<string>, path: FieldPath): boolean {
  return namesOf(path).some((name) => fields.has(name));
}

/** What a table holds for a path. */
export function lookUp<Value>(table: ReadonlyMap<string, Value>, path: FieldPath): Value | undefined {
  const name = namesOf(path).find((candidate) => table.has(candidate));
  return name === undefined ? undefined : table.get(name);
}

/** The names of a path in a table of fields, the longest first. */
function namesOf(path: FieldPath): readonly string[] {
  const names = [path];
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1))
    names.push(path.slice(dot + 1));
  return names;
}
