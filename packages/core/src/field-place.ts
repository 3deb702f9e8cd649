/** The place of a field: its name, after those of the two objects that it is in. */
export type Place = string;

export function placeIn(place: Place, field: string): Place {
  if (place === "") return field;
  const first = place.indexOf(".");
  const isLong = first !== -1 && place.indexOf(".", first + 1) !== -1;
  return `${isLong ? place.slice(first + 1) : place}.${field}`;
}

export function isAmong(fields: ReadonlySet<string>, place: Place): boolean {
  return namesOf(place).some((name) => fields.has(name));
}

/** What a table says of a place. */
export function lookUp<Value>(table: ReadonlyMap<string, Value>, place: Place): Value | undefined {
  const name = namesOf(place).find((candidate) => table.has(candidate));
  return name === undefined ? undefined : table.get(name);
}

/** What a place may be called in a table of fields. */
function namesOf(place: Place): readonly string[] {
  const names = [place];
  for (let dot = place.indexOf("."); dot !== -1; dot = place.indexOf(".", dot + 1))
    names.push(place.slice(dot + 1));
  return names;
}
