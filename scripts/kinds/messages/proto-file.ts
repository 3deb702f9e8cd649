/** One field of a message of Protocol Buffers. */
export interface ProtoField {
  readonly number: number;
  readonly name: string;
  /** `string`, `Container`, `.k8s.io.api.core.v1.Pod`; of a map that of its values. Keys are text. */
  readonly type: string;
  readonly form: "one" | "list" | "map";
}

export interface ProtoMessage {
  readonly name: string;
  /** In the order of the file. */
  readonly fields: readonly ProtoField[];
}

export interface ProtoFile {
  readonly package: string;
  readonly messages: readonly ProtoMessage[];
}

/** Reads what Kubernetes generates of Protocol Buffers: flat messages of plain fields. Throws for everything else. */
export function parseProtoFile(text: string): ProtoFile {
  const source = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  const [, name] = /^\s*package\s+([\w.]+)\s*;/m.exec(source) ?? [];
  if (name === undefined) throw new Error("read messages of Protocol Buffers: the file names no package");
  const messages = [...source.matchAll(/^\s*message\s+(\w+)\s*\{([^{}]*)\}/gm)];
  return {
    package: name,
    messages: messages.map(([, message = "", body = ""]) => ({
      name: message,
      fields: fieldsIn(message, body),
    })),
  };
}

function fieldsIn(message: string, body: string): readonly ProtoField[] {
  const statements = body.split(";").map((statement) => statement.trim().replaceAll(/\s+/g, " "));
  return statements.filter((statement) => statement !== "").map((statement) => fieldOf(message, statement));
}

const plain = /^(optional|repeated|required) ([\w.]+) (\w+) = (\d+)$/;
const map = /^map< ?string, ?([\w.]+) ?> (\w+) = (\d+)$/;

function fieldOf(message: string, statement: string): ProtoField {
  const [, label, type = "", name = "", number] = plain.exec(statement) ?? [];
  if (label !== undefined) {
    return { number: Number(number), name, type, form: label === "repeated" ? "list" : "one" };
  }
  const [, valueType, mapName = "", mapNumber] = map.exec(statement) ?? [];
  if (valueType === undefined) {
    throw new Error(
      `read message ${message}: ${JSON.stringify(statement)} is no field of a form that is known`,
    );
  }
  return { number: Number(mapNumber), name: mapName, type: valueType, form: "map" };
}
