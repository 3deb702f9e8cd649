import { jsonPatch } from "@keelson/client";
import {
  type GenericObject,
  genericResource,
  isRecord,
  type ObjectKey,
  type Resource,
  type Stored,
} from "@keelson/core";
import type { Operator } from "keelson";
import type { AnyDefinedResource } from "keelson/schema";
import { differences } from "../operator/differences.ts";
import { NotSettledError } from "../operator/errors.ts";
import { normalized } from "../operator/normalized.ts";
import { type RunningOperator, type RunOperatorOptions, runOperator } from "../operator/run-operator.ts";
import { until } from "../operator/until.ts";
import type { World } from "../world/start-world.ts";
import { ContractError } from "./errors.ts";
import { schemaFields, valuesAt } from "./schema-fields.ts";

/** Specs of one kind that an object is taken through, one after the other. */
export interface SpecEdits {
  /** The kind whose spec is edited. */
  readonly resource: AnyDefinedResource;
  /** The specs by title. All edits of a kind together give every field at least two values, of which one may be none. */
  readonly specs: Readonly<Record<string, object>>;
  /** The kinds of the owned objects. */
  readonly owned: readonly Resource[];
  /** Fields that cannot be edited. Default: none. */
  readonly fixedFields?: readonly string[];
  /** Creates what an object of the name needs in its namespace. Default: it needs nothing. */
  prepare?(world: World, key: Required<ObjectKey>): Promise<unknown>;
  /** Whether the operator has brought an object to its spec. Default: its status observes its generation. */
  isSettled?(object: Stored<GenericObject>): boolean;
}

export interface CheckSpecEditsOptions {
  /** All edits of the operator: those of a kind together must change every field. Default: these alone. */
  readonly all?: readonly SpecEdits[];
  /** How the operator is run. */
  readonly operatorOptions?: Omit<RunOperatorOptions, "access" | "events">;
}

const name = "edited";
const settleTimeoutMs = 30_000;
const pollMs = 50;
const mostProblems = 3;
/** The hot-loop guard takes more edits in quick succession for a loop, and delays them. */
const editsPerObject = 10;

/** A spec, and the objects that an object owns that was created with it. */
interface Expectation {
  readonly title: string;
  readonly spec: object;
  readonly owned: unknown;
}

/**
 * Takes one object through all specs and back to the first, and another one in the opposite order. After each edit the
 * owned objects must be those of an object that was created with the same spec: what the server mirrors into other fields,
 * or derives from them, must not remain.
 */
export async function checkSpecEdits(
  operator: Operator,
  world: World,
  edits: SpecEdits,
  { all = [edits], operatorOptions = {} }: CheckSpecEditsOptions = {},
): Promise<void> {
  const unedited = uneditedFields(edits, all);
  if (unedited.length > 0)
    throw new ContractError({
      operator: operator.name,
      problem: "no edit of its contract changes the fields",
      details: unedited,
    });
  const run = { ...operatorOptions, access: world.cluster, events: false };
  await using running = await runOperator(operator, run);
  const [first, ...rest] = await expectations(world, edits, running);
  if (first === undefined) return;
  const problems = await Promise.all([
    walk(world, edits, [first, ...rest, first]),
    walk(world, edits, [first, ...rest.toReversed(), first]),
  ]);
  if (problems.flat().length > 0)
    throw new ContractError({
      operator: operator.name,
      problem: "an edit of the spec gives other objects than the same spec gives at once",
      details: problems.flat(),
    });
}

/** Creates an object with each spec. */
async function expectations(
  world: World,
  edits: SpecEdits,
  running: RunningOperator,
): Promise<readonly Expectation[]> {
  const fresh = await Promise.all(
    Object.entries(edits.specs).map(async ([title, spec]) => {
      const namespace = await create(world, edits, spec);
      await until(`create an object for ${title}`, () => isObserved(world, edits, namespace), {
        ...{ timeoutMs: settleTimeoutMs, everyMs: pollMs },
        problems: () => running.problems,
      });
      return { title, spec, namespace };
    }),
  );
  await running.idle();
  return Promise.all(
    fresh.map(async ({ namespace, ...each }) => ({ ...each, owned: await ownedIn(world, edits, namespace) })),
  );
}

/** After an edit that leaves a difference, the walk continues with a new object; after a few of them it ends. */
async function walk(
  world: World,
  edits: SpecEdits,
  [start, ...path]: readonly [Expectation, ...Expectation[]],
): Promise<readonly string[]> {
  const problems: string[] = [];
  let namespace = await create(world, edits, start.spec);
  let { title: previous, spec } = start;
  for (const [index, expected] of path.entries()) {
    if (problems.length >= mostProblems) break;
    if (index % editsPerObject === editsPerObject - 1) namespace = await create(world, edits, spec);
    await edit(world, edits, namespace, expected.spec);
    const found = await remaining(world, edits, expected, namespace);
    if (found.length > 0) namespace = await create(world, edits, expected.spec);
    problems.push(...found.map((line) => `from "${previous}" to "${expected.title}": ${line}`));
    previous = expected.title;
    spec = expected.spec;
  }
  return problems;
}

/** The fields of the schema that have the same value in all specs. */
function uneditedFields(
  { resource, fixedFields = [] }: SpecEdits,
  all: readonly SpecEdits[],
): readonly string[] {
  const specs = all
    .filter((edits) => edits.resource === resource)
    .flatMap((edits) => Object.values(edits.specs));
  const [version] = resource.crd().spec.versions;
  const { properties = {} } = version?.schema?.openAPIV3Schema ?? {};
  return schemaFields(properties.spec ?? {}).filter((field) => {
    const values = new Set(specs.map((spec) => JSON.stringify(valuesAt(spec, field))));
    return values.size < 2 && !fixedFields.includes(field);
  });
}

/** Returns the namespace. */
async function create(world: World, { resource, prepare }: SpecEdits, spec: object): Promise<string> {
  const namespace = await world.createNamespace();
  await prepare?.(world, { namespace, name });
  await world.client.create(genericResource(resource), { metadata: { namespace, name }, spec });
  return namespace;
}

async function edit(
  { client }: World,
  { resource }: SpecEdits,
  namespace: string,
  spec: object,
): Promise<void> {
  const patch = jsonPatch([{ op: "replace", path: "/spec", value: spec }]);
  await client.patch(genericResource(resource), { namespace, name }, patch);
}

/** What differs from the expected owned objects, as soon as nothing does or after some time. */
async function remaining(
  world: World,
  edits: SpecEdits,
  { title, owned }: Expectation,
  namespace: string,
): Promise<readonly string[]> {
  let found: readonly string[] = ["the status does not describe the spec"];
  const areEqual = async (): Promise<boolean> => {
    if (!(await isObserved(world, edits, namespace))) return false;
    found = differences(owned, await ownedIn(world, edits, namespace));
    return found.length === 0;
  };
  try {
    await until(`compare ${title}`, areEqual, { timeoutMs: settleTimeoutMs, everyMs: pollMs });
    return [];
  } catch (error) {
    if (error instanceof NotSettledError) return found;
    throw error;
  }
}

async function isObserved({ client }: World, edits: SpecEdits, namespace: string): Promise<boolean> {
  const { resource, isSettled = observesGeneration } = edits;
  return isSettled(await client.get(genericResource(resource), { namespace, name }));
}

function observesGeneration({ metadata, status }: Stored<GenericObject>): boolean {
  return isRecord(status) && status.observedGeneration === metadata.generation;
}

/** Without what controllers add to an object as it changes. */
async function ownedIn({ client }: World, { owned }: SpecEdits, namespace: string): Promise<unknown> {
  const lists = await Promise.all(
    owned.map((resource) => client.list(genericResource(resource), { namespace })),
  );
  return normalized(
    lists.flatMap(({ items }) =>
      items.map(({ metadata, status: _, ...object }) => {
        const { generation: __, managedFields: ___, annotations = {}, ...kept } = metadata;
        const { "deployment.kubernetes.io/revision": ____, ...stated } = annotations;
        return { ...object, metadata: { ...kept, annotations: stated } };
      }),
    ),
  );
}
