import {
  formatJson,
  isRecord,
  type JsonPatchOperation,
  type KubeObject,
  pointer,
  type StatusCause,
  sortFields,
} from "@keelson/core";

/** The lists of a pod spec whose elements an apply matches by a key, and the key. */
const listKeys: ReadonlyMap<string, string> = new Map([
  ["containers", "name"],
  ["ephemeralContainers", "name"],
  ["initContainers", "name"],
  ["env", "name"],
  ["volumes", "name"],
  ["volumeMounts", "mountPath"],
]);

/** The lists whose elements are incomplete without what one field manager stated. */
const removable: ReadonlySet<string> = new Set(["env", "volumes", "volumeMounts"]);

const probes: ReadonlySet<string> = new Set(["livenessProbe", "readinessProbe", "startupProbe"]);
const handlers = ["exec", "grpc", "httpGet", "tcpSocket"];

/** Reason and field of the server's complaint about an element that has lost a required field. */
const complaints: readonly (readonly [reason: RegExp, field: RegExp])[] = [
  [/^FieldValueRequired$/, /\.(liveness|readiness|startup)Probe$/],
  [/^FieldValueRequired$/, /\.volumes\[\d+\](\.\w+)*$/],
  [/^FieldValueRequired$/, /\.env\[\d+\]\.valueFrom\.\w+\.\w+$/],
  [/^FieldValue(Required|NotFound)$/, /\.volumeMounts\[\d+\]\.name$/],
];

/**
 * Whether an apply was refused because an element that is no longer desired would stay without a required field: another
 * field manager changed a part of it, such as a timing of a probe, and an apply leaves that part.
 */
export function isRemnant({ reason: actual = "", field: path = "" }: StatusCause): boolean {
  return complaints.some(([reason, field]) => reason.test(actual) && field.test(path));
}

/**
 * The patch that removes elements that are no longer desired, and of which other field managers than `fieldOwner` own only
 * parts. What another field manager added as a whole stays. `live` must have its managedFields.
 */
export function remnantPatch(
  live: KubeObject,
  desired: unknown,
  fieldOwner: string,
): readonly JsonPatchOperation[] {
  const others = (live.metadata.managedFields ?? [])
    .filter(({ manager }) => manager !== fieldOwner)
    .map(({ fieldsV1 }) => fieldsV1);
  const operations = operationsWithin({ path: [], owned: others }, live, desired);
  // From the end, so that no operation moves the element of a later one.
  return operations.toReversed().flat();
}

interface Position {
  readonly path: readonly (string | number)[];
  /** What other field managers own here, as FieldsV1 describes it. */
  readonly owned: readonly unknown[];
}

type Operation = readonly JsonPatchOperation[];

function operationsWithin(position: Position, existing: unknown, desired: unknown): readonly Operation[] {
  if (!isRecord(existing) || !isRecord(desired)) return [];
  return Object.entries(existing).flatMap(([name, value]) => {
    const within = { path: [...position.path, name], owned: partsOf(position.owned, `f:${name}`) };
    if (Array.isArray(value)) return listOperations(within, name, value, desired[name]);
    if (desired[name] !== undefined) return operationsWithin(within, value, desired[name]);
    const isWhole = !probes.has(name) || handlers.some((handler) => isOwned(within.owned, `f:${handler}`));
    return isWhole || within.owned.length === 0 ? [] : [removal(within.path, value)];
  });
}

function listOperations(
  { path, owned }: Position,
  list: string,
  existing: readonly unknown[],
  desired: unknown,
): readonly Operation[] {
  const key = listKeys.get(list);
  if (key === undefined) return [];
  const wanted: readonly unknown[] = Array.isArray(desired) ? desired : [];
  return existing.flatMap((element, index) => {
    if (!isRecord(element)) return [];
    const within = {
      path: [...path, index],
      owned: partsOf(owned, `k:${formatJson(sortFields({ [key]: element[key] }))}`),
    };
    const namesake = wanted.find((other) => isRecord(other) && other[key] === element[key]);
    if (namesake !== undefined) return operationsWithin(within, element, namesake);
    const isWhole = !removable.has(list) || isOwned(within.owned, ".");
    return isWhole || within.owned.length === 0 ? [] : [removal(within.path, element)];
  });
}

function partsOf(owned: readonly unknown[], step: string): readonly unknown[] {
  return owned.flatMap((fields) => (isRecord(fields) && Object.hasOwn(fields, step) ? [fields[step]] : []));
}

function isOwned(owned: readonly unknown[], step: string): boolean {
  return partsOf(owned, step).length > 0;
}

function removal(path: Position["path"], value: unknown): Operation {
  const at = pointer(...path);
  return [
    { op: "test", path: at, value },
    { op: "remove", path: at },
  ];
}
