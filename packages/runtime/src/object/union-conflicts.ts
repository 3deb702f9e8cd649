import { isRecord, type JsonPatchOperation, pointer, type StatusCause } from "@keelson/core";

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

const probeHandlers: ReadonlySet<string> = new Set(["exec", "grpc", "httpGet", "tcpSocket"]);

/** Reason and field of the server's complaint about a field of which another field manager set a different member. */
const conflicts: readonly (readonly [reason: RegExp, field: RegExp])[] = [
  [/^FieldValue(Duplicate|Required)$/, /\.ports\[\d+\]\.name$/],
  [/^FieldValueInvalid$/, /\.env\[\d+\]\.valueFrom$/],
  [/^FieldValueForbidden$/, /\.(liveness|readiness|startup)Probe\.(exec|grpc|httpGet|tcpSocket)$/],
  // What another field manager changed of a handler that is no longer desired is not a whole handler.
  [
    /^FieldValue(Invalid|Required)$/,
    /\.(liveness|readiness|startup)Probe\.(exec|grpc|httpGet|tcpSocket)\.\w+$/,
  ],
  [/^FieldValueForbidden$/, /\.volumes\[\d+\]\.\w+$/],
];

/**
 * Whether an apply was refused because fields of another field manager remain beside the applied ones where the kind
 * allows one of them: a port of the same name, another source of a variable or a volume, another handler of a probe.
 */
export function isUnionConflict({ reason: actual = "", field: path = "" }: StatusCause): boolean {
  return conflicts.some(([reason, field]) => reason.test(actual) && field.test(path));
}

/** The patch that replaces conflicting members by the desired ones, and keeps the rest. */
export function unionConflictPatch(existing: unknown, desired: unknown): readonly JsonPatchOperation[] {
  return operationsWithin([], existing, desired);
}

function operationsWithin(path: Path, existing: unknown, desired: unknown): readonly JsonPatchOperation[] {
  if (Array.isArray(desired) && Array.isArray(existing)) {
    if (path.at(-1) === "ports") return portOperations(path, existing, desired);
    return desired.flatMap((element: unknown) => {
      const index = existing.findIndex((other: unknown) => hasSameName(other, element));
      return index < 0 ? [] : operationsWithin([...path, index], existing[index], element);
    });
  }
  if (!isRecord(desired) || !isRecord(existing)) return [];
  const conflicting = Object.keys(existing).filter(
    (name) => isUnionMember(path, name) && desired[name] === undefined,
  );
  if (conflicting.length > 0) return replacement(path, existing, conflicting, desired);
  return Object.entries(desired).flatMap(([name, value]) =>
    operationsWithin([...path, name], existing[name], value),
  );
}

/** Whether the field is one of several of which an object may have only one. */
function isUnionMember(path: Path, name: string): boolean {
  const list = path.at(-2);
  const field = path.at(-1);
  if (list === "env" || list === "volumes") return name !== "name";
  return field === "valueFrom" || (/Probe$/.test(String(field)) && probeHandlers.has(name));
}

function replacement(
  path: Path,
  existing: Fields,
  conflicting: readonly string[],
  desired: Fields,
): readonly JsonPatchOperation[] {
  const kept = Object.fromEntries(Object.entries(existing).filter(([name]) => !conflicting.includes(name)));
  const at = pointer(...path);
  return [
    { op: "test", path: at, value: existing },
    { op: "replace", path: at, value: { ...kept, ...desired } },
  ];
}

/**
 * The operations that set the ports of a list to the desired numbers, by name; other ports stay. Lists of ports are keyed
 * by number: a port whose number another field manager changed is that manager's, and an apply would put ours beside it
 * under the same name. A port whose desired number another port has already is removed, since that port takes its place.
 */
function portOperations(
  path: Path,
  existing: readonly unknown[],
  desired: readonly unknown[],
): readonly JsonPatchOperation[] {
  const operations = existing.map((port, index): readonly JsonPatchOperation[] => {
    if (!isRecord(port) || port.name === undefined) return [];
    const namesake = desired.find((other) => isRecord(other) && other.name === port.name);
    if (!isRecord(namesake) || hasSameNumber(port, namesake)) return [];
    const at = pointer(...path, index);
    const isUnchanged: JsonPatchOperation = { op: "test", path: at, value: port };
    return existing.some((other) => hasSameNumber(other, namesake))
      ? [isUnchanged, { op: "remove", path: at }]
      : [isUnchanged, { op: "replace", path: at, value: { ...port, ...namesake } }];
  });
  // From the end, so that no operation moves the element of a later one.
  return operations.reverse().flat();
}

function hasSameNumber(a: unknown, b: unknown): boolean {
  return isRecord(a) && isRecord(b) && numberOf(a) === numberOf(b);
}

function numberOf({ port, containerPort, protocol = "TCP" }: Fields): string {
  return `${port ?? containerPort}/${protocol}`;
}

function hasSameName(a: unknown, b: unknown): boolean {
  return isRecord(a) && isRecord(b) && a.name !== undefined && a.name === b.name;
}
