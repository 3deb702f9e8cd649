import { InvalidError } from "@keelson/client";
import { isRecord, type JsonPatchOperation, pointer, type StatusCause } from "@keelson/core";
import { portMoves } from "./port-moves.ts";

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

const handlers: ReadonlySet<string> = new Set(["exec", "grpc", "httpGet", "tcpSocket"]);

/** What the server says, and of which field, where what others put beside ours cannot be there with it. */
const clashes: readonly (readonly [reason: RegExp, field: RegExp])[] = [
  [/^FieldValue(Duplicate|Required)$/, /\.ports\[\d+\]\.name$/],
  [/^FieldValueInvalid$/, /\.env\[\d+\]\.valueFrom$/],
  [/^FieldValueForbidden$/, /\.(liveness|readiness|startup)Probe\.(exec|grpc|httpGet|tcpSocket)$/],
  [/^FieldValueForbidden$/, /\.volumes\[\d+\]\.\w+$/],
];

/**
 * Whether an apply was refused only because it leaves what others put beside ours: a port with the name of ours, another
 * source of a variable or a volume, another kind of probe. Nothing else is wrong with it, so ours may take that place.
 */
export function isRefusedForRivals(error: unknown): boolean {
  if (!(error instanceof InvalidError)) return false;
  const causes = error.status.details?.causes ?? [];
  return causes.length > 0 && causes.every(isClash);
}

function isClash({ reason: said = "", field: where = "" }: StatusCause): boolean {
  return clashes.some(([reason, field]) => reason.test(said) && field.test(where));
}

/** The steps that put ours in the place of what cannot be there with it. The rest stays. */
export function rivalOperations(existing: unknown, wanted: unknown): readonly JsonPatchOperation[] {
  return operationsWithin([], existing, wanted);
}

function operationsWithin(path: Path, existing: unknown, wanted: unknown): readonly JsonPatchOperation[] {
  if (Array.isArray(wanted) && Array.isArray(existing)) {
    if (path.at(-1) === "ports") return portMoves(path, existing, wanted);
    return wanted.flatMap((element: unknown) => {
      const index = existing.findIndex((other: unknown) => hasSameName(other, element));
      return index < 0 ? [] : operationsWithin([...path, index], existing[index], element);
    });
  }
  if (!isRecord(wanted) || !isRecord(existing)) return [];
  const rivals = Object.keys(existing).filter((name) => isChoice(path, name) && wanted[name] === undefined);
  if (rivals.length > 0) return replacement(path, existing, rivals, wanted);
  return Object.entries(wanted).flatMap(([name, value]) =>
    operationsWithin([...path, name], existing[name], value),
  );
}

/** Whether there may be only one such field here. */
function isChoice(path: Path, name: string): boolean {
  const list = path.at(-2);
  const field = path.at(-1);
  if (list === "env" || list === "volumes") return name !== "name";
  return field === "valueFrom" || (/Probe$/.test(String(field)) && handlers.has(name));
}

function replacement(
  path: Path,
  existing: Fields,
  rivals: readonly string[],
  wanted: Fields,
): readonly JsonPatchOperation[] {
  const kept = Object.fromEntries(Object.entries(existing).filter(([name]) => !rivals.includes(name)));
  const at = pointer(...path);
  return [
    { op: "test", path: at, value: existing },
    { op: "replace", path: at, value: { ...kept, ...wanted } },
  ];
}

function hasSameName(a: unknown, b: unknown): boolean {
  return isRecord(a) && isRecord(b) && a.name !== undefined && a.name === b.name;
}
