import type { JsonName, JsonNames } from "./json-names.ts";
import type { ProtoField, ProtoFile, ProtoMessage } from "./proto-file.ts";

/** The messages of one group and version, with what their fields are called in JSON. */
export interface MessageSource {
  readonly file: ProtoFile;
  readonly names: JsonNames;
}

const scalars: Readonly<Record<string, string>> = {
  string: "s",
  bool: "b",
  int32: "i",
  int64: "i",
  uint32: "i",
  uint64: "i",
  bytes: "y",
  double: "d",
};

/** Messages that are something else than an object in JSON, wherever they are defined. */
const special: ReadonlySet<string> = new Set([
  "Time",
  "MicroTime",
  "Duration",
  "Quantity",
  "IntOrString",
  "FieldsV1",
  "RawExtension",
  "ExtraValue",
  "Verbs",
  "JSON",
]);

/** The module of the table; the same sources give the same text, whatever their order. It is not laid out yet. */
export function messageTableModule(kubernetes: string, sources: readonly MessageSource[]): string {
  const lines = messageLines(sources);
  return [
    `// Generated from Kubernetes ${kubernetes} by \`npm run generate:kinds\`; do not edit.`,
    "/**",
    " * The messages of the built-in kinds, one a line: the name, then of each field its number, its name in JSON (`^`: its",
    " * fields stand in its place) and its type (`*`: a list, `%`: a map). Types: s string, b bool, i integer, d double,",
    " * y bytes, `!` of a form of its own, else a message.",
    " */",
    `export const messageTable: string = \`${lines.join("\n")}\`;`,
    "",
  ].join("\n");
}

export function messageLines(sources: readonly MessageSource[]): readonly string[] {
  const known = new Set(
    sources.flatMap(({ file }) => file.messages.map(({ name }) => shortName(file.package, name))),
  );
  const lines = sources.flatMap(({ file, names }) =>
    file.messages
      .filter(({ name }) => !special.has(name))
      .map((message) => lineOf({ package: file.package, names, known }, message)),
  );
  return lines.sort();
}

interface Context {
  readonly package: string;
  readonly names: JsonNames;
  readonly known: ReadonlySet<string>;
}

function lineOf(context: Context, message: ProtoMessage): string {
  const fields = message.fields.map((field) => fieldText(context, message, field));
  return `${shortName(context.package, message.name)}:${fields.join(",")}`;
}

function fieldText(context: Context, message: ProtoMessage, field: ProtoField): string {
  const given: JsonName = context.names.get(`${message.name}.${field.name}`) ?? {
    name: field.name,
    isInlined: false,
  };
  const mark = { one: "", list: "*", map: "%" }[field.form];
  const type = typeText(context, field.type);
  return `${field.number} ${given.isInlined ? "^" : ""}${given.name} ${mark}${type}`;
}

function typeText({ package: own, known }: Context, type: string): string {
  const scalar = scalars[type];
  if (scalar !== undefined) return scalar;
  const parts = type.split(".").filter((part) => part !== "");
  const name = parts.at(-1) ?? "";
  if (special.has(name)) return `!${name}`;
  const found = shortName(parts.length === 1 ? own : parts.slice(0, -1).join("."), name);
  if (!known.has(found)) throw new Error(`make the table of messages: there is no message ${type} in ${own}`);
  return found;
}

/** `k8s.io.api.apps.v1` and `Deployment` are `apps.v1.Deployment`. */
function shortName(packageName: string, message: string): string {
  return [...packageName.split(".").slice(-2), message].join(".");
}
