import type { DownwardAPIVolumeFile, KeyToPath, Volume } from "@keelson/core/kinds/core/v1";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../given.ts";
import { fieldRefProblems, resourceRefProblems } from "./env-validation.ts";
import { innerPathProblems } from "./inner-path.ts";

type GivenVolume = Given<Volume>;
type Projected = NonNullable<GivenVolume["projected"]>;
type Projection = NonNullable<Projected["sources"]>[number];

/** Files from the keys of a ConfigMap or Secret. */
export function filesProblems(
  {
    defaultMode,
    items = [],
  }: { readonly defaultMode?: number; readonly items?: readonly Given<KeyToPath>[] },
  field: string,
): readonly FieldProblem[] {
  return [
    ...modeProblems(defaultMode, `${field}.defaultMode`),
    ...items.flatMap((item, index) => keyToPathProblems(item, indexed(`${field}.items`, index))),
  ];
}

function keyToPathProblems(
  { key = "", path = "", mode }: Given<KeyToPath>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(key === "" ? [required(`${field}.key`)] : []),
    ...filePathProblems(path, `${field}.path`),
    ...modeProblems(mode, `${field}.mode`),
  ];
}

/** Files that tell about the pod. The volume is named, not the file: as the server does. */
export function downwardProblems(
  { defaultMode, items = [] }: NonNullable<GivenVolume["downwardAPI"]>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...modeProblems(defaultMode, `${field}.defaultMode`),
    ...items.flatMap((item) => downwardFileProblems(item, field)),
  ];
}

const fieldPaths = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

function downwardFileProblems(
  { path = "", mode, fieldRef, resourceFieldRef }: Given<DownwardAPIVolumeFile>,
  field: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [...filePathProblems(path, `${field}.path`)];
  if (fieldRef !== undefined) {
    problems.push(...fieldRefProblems(fieldRef, fieldPaths, `${field}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      problems.push(invalidValue(field, "resource", detail));
    }
  } else if (resourceFieldRef === undefined) {
    problems.push(required(field, "one of fieldRef and resourceFieldRef is required"));
  } else if (resourceFieldRef.containerName === undefined || resourceFieldRef.containerName === "") {
    problems.push(required(`${field}.resourceFieldRef.containerName`));
  } else {
    problems.push(...resourceRefProblems(resourceFieldRef, `${field}.resourceFieldRef`));
  }
  return [...problems, ...modeProblems(mode, `${field}.mode`)];
}

/** Files of several sources in one folder, no two of them at one path. */
export function projectedProblems(
  { defaultMode, sources }: Projected,
  field: string,
): readonly FieldProblem[] {
  const paths = new Set<string>();
  const problems: FieldProblem[] = [...modeProblems(defaultMode, `${field}.defaultMode`)];
  for (const [index, projection] of (sources ?? []).entries()) {
    const place = indexed(`${field}.sources`, index);
    problems.push(...projectionProblems(projection, field, place));
    for (const [path, shown] of pathsOf(projection)) {
      if (path === "") continue;
      if (paths.has(path)) problems.push(invalidValue(field, shown, "conflicting duplicate paths"));
      paths.add(path);
    }
    if (Object.values(projection).filter((source) => source !== undefined).length > 1) {
      problems.push(forbiddenField(place, "may not specify more than 1 volume type per source"));
    }
  }
  return problems;
}

function projectionProblems(projection: Projection, field: string, place: string): readonly FieldProblem[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = projection;
  const problems: FieldProblem[] = [];
  if (secret !== undefined) problems.push(...namedFilesProblems(secret, `${place}.secret`));
  if (configMap !== undefined) problems.push(...namedFilesProblems(configMap, `${place}.configMap`));
  if (downwardAPI !== undefined) problems.push(...downwardProblems(downwardAPI, `${place}.downwardAPI`));
  if (serviceAccountToken === undefined) return problems;
  const { expirationSeconds = 3600, path = "" } = serviceAccountToken;
  const lifetime = `${place}.serviceAccountToken.expirationSeconds`;
  if (expirationSeconds < 600) {
    const detail = "may not specify a duration less than 10 minutes";
    problems.push(invalidValue(lifetime, expirationSeconds, detail));
  }
  if (expirationSeconds > 2 ** 32) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    problems.push(invalidValue(lifetime, expirationSeconds, detail));
  }
  // Of the volume, not of the source: as the server says it.
  return [...problems, ...filePathProblems(path, `${field}.path`)];
}

function namedFilesProblems(
  source: { readonly name?: string; readonly items?: readonly Given<KeyToPath>[] },
  field: string,
): readonly FieldProblem[] {
  const { name = "", items = [] } = source;
  return [...(name === "" ? [required(`${field}.name`)] : []), ...filesProblems({ items }, field)];
}

/** The paths of a source, each with what the server shows where another source has it too. */
function pathsOf({ secret, configMap, downwardAPI }: Projection): readonly (readonly [string, string])[] {
  const named = [secret, configMap].flatMap((source) =>
    (source?.items ?? []).map(({ path = "" }) => [path, source?.name ?? ""] as const),
  );
  return [...named, ...(downwardAPI?.items ?? []).map(({ path = "" }) => [path, path] as const)];
}

function filePathProblems(path: string, field: string): readonly FieldProblem[] {
  const isReserved = path.startsWith("..") && !path.startsWith("../");
  return [
    ...(path === "" ? [required(field)] : []),
    ...innerPathProblems(path, field),
    ...(isReserved ? [invalidValue(field, path, "must not start with '..'")] : []),
  ];
}

function modeProblems(mode: number | undefined, field: string): readonly FieldProblem[] {
  return mode === undefined || (mode >= 0 && mode <= 0o777)
    ? []
    : [invalidValue(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}
