/**
 * The fields of one line of comma-separated values, as flags of upstream hold lists: a field in quotes may hold commas, and
 * `""` within it is a quote. Undefined if quotes are not closed or stand within a field.
 */
export function csvFields(line: string): readonly string[] | undefined {
  const fields: string[] = [];
  let rest = line;
  for (;;) {
    const [whole, quoted, plain] = field.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    fields.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (whole.length === rest.length) return fields;
    rest = rest.slice(whole.length + 1);
  }
}

/** One field, up to the comma or the end that follows it. */
const field = /^(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/;
