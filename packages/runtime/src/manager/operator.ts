import type { Client, ClusterAccess, Environment } from "@keelson/client";
import {
  type ApiUse,
  type Clock,
  deepEqual,
  dnsLabelProblem,
  type GenericObject,
  groupResourceOf,
  KeelsonError,
  type Kind,
  type Random,
  type Resource,
  systemClock,
  systemRandom,
} from "@keelson/core";
import type { AnyDefinedResource, z } from "@keelson/schema";
import type { CachedIndex, CachedKind } from "../cache/cache-settings.ts";
import { asRepresentation } from "../cache/store.ts";
import { isDefined } from "../controller/builder.ts";
import type { ControllerDefinition } from "../controller/controller-definition.ts";
import { type Logger, silentLogger } from "../logger.ts";
import { MetricsRegistry } from "../telemetry/metrics/metrics-registry.ts";
import type { Admission } from "../webhook/admission.ts";
import type { Conversion } from "../webhook/conversion.ts";
import { InvalidManagerError } from "./errors.ts";
import type { Manager } from "./manager.ts";
import { usesOfSources } from "./permissions/needed-uses.ts";
import type { ReplacedProgram } from "./replaced-program.ts";
import type { WebhookSet } from "./webhooks.ts";

/** How far a sample is on its way to the desired state. */
export interface SampleProgress {
  /** In a word, such as `Ready`. */
  readonly phase: string;
  /** How many of how many, such as `2/3`, if there is something to count. */
  readonly ready?: string;
  /** Whether it has reached the desired state, and will stay there. */
  readonly isSettled: boolean;
  /** Why it will not get there, if that is known. */
  readonly problem?: string;
}

/** Objects to try an operator with: `keelson dev` applies them and shows their progress. */
export interface OperatorSamples {
  /** YAML files, applied in this order. */
  readonly files: readonly URL[];
  /**
   * YAML files that are applied once, when all samples are settled for the first time, so that the operator has something to
   * do. Default: none.
   */
  readonly later?: readonly URL[];
  /** Called with objects of the operator's own kinds. */
  progress(object: GenericObject, stage: SampleStage): SampleProgress;
  /** Commands to try, as arguments of kubectl. Default: made of the kinds. */
  readonly tries?: readonly string[];
  /** A module that exports `startNeighbours`, a StartSampleNeighbours. It is loaded with the samples alone. Default: none. */
  readonly neighbours?: URL;
}

/** How far the samples have been applied. */
export interface SampleStage {
  /** Whether the object is a sample and the files of `later` are being applied or have been. */
  readonly isLater: boolean;
}

/** An operator as a value: what it adds to a manager, and what must exist in the cluster for it. */
export interface Operator {
  /** In logs, flags and manifests; a DNS label, such as `webapp`. */
  readonly name: string;
  /** Its own kinds; their CustomResourceDefinitions are made of them. */
  readonly resources: readonly AnyDefinedResource[];
  /** What it uses of the API beyond what its controllers and webhooks declare. Its RBAC rules are made of all of that. */
  readonly uses: readonly ApiUse[];
  /** The schema of its settings; undefined if it has none. */
  readonly settings: z.ZodObject | undefined;
  /** What of some kinds it needs in the cache; see `operatorCacheKinds`. */
  readonly cache: readonly CachedKind[];
  /** Its controllers, apart from those that a `setup` adds. */
  readonly controllers: readonly Pick<ControllerDefinition<never>, "name" | "kind" | "sources" | "uses">[];
  readonly samples: OperatorSamples | undefined;
  /** Undefined if it replaces none. */
  readonly replaces: ReplacedProgram | undefined;
  /**
   * Adds its controllers, webhooks and indexes. `settings` are what an administrator chose, as the schema takes them, before
   * defaults. Throws an InvalidSettingsError that lists everything that is wrong with them.
   */
  setup(manager: Manager, settings?: unknown): void | Promise<void>;
  /**
   * The same operator as these settings make it: what it declares, caches and sets up. Takes and throws what `setup`
   * does.
   */
  withSettings(settings: unknown): Operator;
}

/** What the parts of an operator are made with. */
export interface PartDependencies<Settings> {
  readonly settings: Settings;
  /** The namespaces that the manager is limited to, so that nothing else may be read; undefined if it is not. */
  readonly namespaces: readonly string[] | undefined;
  /** The registry of the manager. */
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Those of the manager; undefined if it has none, or if the parts are only made to learn what they declare. */
  readonly liveClient: Client | undefined;
  readonly access: ClusterAccess | undefined;
  /** That of the manager. */
  readonly env: Environment;
}

/** Parts of an operator that depend on its settings, or that share something; see OperatorDefinition. */
export interface OperatorParts<Settings = unknown> {
  /** Own kinds beside those of the definition, such as those whose group is a setting. Default: see OperatorDefinition. */
  readonly resources?: readonly AnyDefinedResource[];
  /** Default: none. */
  readonly controllers?: readonly ControllerDefinition<never, Settings>[];
  /** Default: none. */
  readonly webhooks?: readonly (Admission | Conversion)[];
  /** Default: none. */
  readonly indexes?: readonly CachedIndex[];
  /** Default: nothing beside that of the definition. */
  readonly cache?: readonly CachedKind[];
  /** Default: nothing beside those of the definition. */
  readonly uses?: readonly ApiUse[];
  /** Adds what cannot be declared, such as runnables. */
  readonly setup?: (manager: Manager) => void | Promise<void>;
}

export interface OperatorDefinition<Settings = unknown> {
  readonly name: string;
  /** Default, unless its parts have some: the kinds of its controllers and webhooks that `defineResource` made. */
  readonly resources?: readonly AnyDefinedResource[];
  /**
   * A controller with metrics of its own is a function of the registry of its manager. It is also called once, with another
   * registry, to learn what the controller declares. Default: none.
   */
  readonly controllers?: readonly (
    | ControllerDefinition<never, Settings>
    | ((metrics: MetricsRegistry) => ControllerDefinition<never, Settings>)
  )[];
  /** Made by `admission` and `conversion`. Default: none. */
  readonly webhooks?: readonly (Admission | Conversion)[];
  /** Made by `cacheIndex`. Default: none. */
  readonly indexes?: readonly CachedIndex[];
  /** What of some kinds is cached, such as `cacheKind(Secret, { labelSelector: "app=web" })`. Default: every object, whole. */
  readonly cache?: readonly CachedKind[];
  /** What it uses of the API beyond what its controllers and webhooks declare. Default: nothing. */
  readonly uses?: readonly ApiUse[];
  /** Default: none. */
  readonly samples?: OperatorSamples;
  /** The program whose flags, variables and configuration file are accepted as well. Default: none. */
  readonly replaces?: ReplacedProgram;
  /** Adds what cannot be declared, such as runnables. */
  readonly setup?: (manager: Manager, settings: Settings) => void | Promise<void>;
  /**
   * Makes further parts, once for each manager: those that depend on the settings, such as which kinds are watched, and those
   * that share an object, such as a queue that a runnable empties. It is also called to learn what the parts declare, so it
   * must not do more than make them; without chosen settings it then gets the defaults, which every setting needs.
   */
  readonly parts?: (dependencies: PartDependencies<Settings>) => OperatorParts<Settings>;
}

/** What an administrator may set, by flags, environment variables and a file; `context.settings` has the values. */
export interface OperatorSettings<Schema extends z.ZodObject> {
  readonly settings: Schema;
}

/** Settings of an operator do not fit its schema. */
export class InvalidSettingsError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidSettingsError";
  readonly code = "INVALID_SETTINGS";
  readonly operator: string;
  /** Each names the setting. */
  readonly problems: readonly string[];

  constructor(operator: string, problems: readonly string[]) {
    super(`set up operator ${operator}: ${problems.join("; ")}`);
    this.operator = operator;
    this.problems = problems;
  }
}

/**
 * Describes an operator, so that `keelson run` can run it, alone or with others in one process:
 *
 *     export const webapp = defineOperator({
 *       name: "webapp",
 *       controllers: [controller(WebApp).owns(Deployment).reconcile(reconcileWebApp)],
 *       webhooks: [admission(WebApp).validate(validateWebApp)],
 *     });
 *
 * Its permissions follow from what is declared: see `controller`. `uses` adds what is beyond.
 */
export function defineOperator<Schema extends z.ZodObject>(
  definition: OperatorDefinition<z.output<Schema>> & OperatorSettings<Schema>,
): Operator;
export function defineOperator(definition: OperatorDefinition): Operator;
export function defineOperator(definition: AnyDefinition): Operator {
  const { name, parts } = definition;
  const problem = dnsLabelProblem(name);
  if (problem !== undefined) throw invalidOperator(name, `its name ${problem}`);
  const defaults = definition.settings?.safeParse({});
  if (parts !== undefined && defaults?.success === false)
    throw invalidOperator(name, "it has parts, so each of its settings needs a default, or must be optional");
  return operatorOf(definition, defaults?.data, {});
}

type AnyDefinition = OperatorDefinition & Partial<OperatorSettings<z.ZodObject>>;

/** `settings` decide what it declares, and `values` are the settings before defaults. */
function operatorOf(definition: AnyDefinition, settings: unknown, values: unknown): Operator {
  const { name, settings: schema, samples } = definition;
  const parse = (chosen: unknown): unknown =>
    schema === undefined ? undefined : parseSettings(name, schema, chosen);
  const metrics = new MetricsRegistry();
  const declared = allParts(definition, {
    ...{
      settings,
      namespaces: undefined,
      metrics,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      liveClient: undefined,
      access: undefined,
      env: {},
    },
  });
  return {
    name,
    resources: declared.resources,
    uses: declared.uses,
    settings: schema,
    cache: declared.cache,
    controllers: declared.controllers,
    samples,
    replaces: definition.replaces,
    setup: (manager, chosen = values) => setUp(definition, parse(chosen), manager),
    withSettings: (chosen = {}) => operatorOf(definition, parse(chosen), chosen),
  };
}

function setUp(definition: AnyDefinition, settings: unknown, manager: Manager): void | Promise<void> {
  const { namespaces, clock, random, log, liveClient, access, env } = manager;
  const { registry: metrics } = manager.metrics;
  const parts = allParts(definition, {
    ...{ settings, namespaces, metrics, clock, random, log, liveClient, access, env },
  });
  const { uses, indexes, controllers, webhooks } = parts;
  if (uses.length > 0) manager.declareUses(`operator ${definition.name}`, uses);
  for (const index of indexes) manager.cache.addIndex(index.resource, index.name, index.valuesOf);
  for (const controller of controllers) manager.add(controller, settings);
  if (webhooks.length > 0) manager.addWebhooks(webhookSet(webhooks));
  return parts.setup(manager);
}

/** The parts of the definition and those that it makes. */
function allParts(
  definition: AnyDefinition,
  dependencies: PartDependencies<unknown>,
): Required<OperatorParts> {
  const { metrics, settings } = dependencies;
  const made = definition.parts?.(dependencies) ?? {};
  const declared = (definition.controllers ?? []).map((each) =>
    typeof each === "function" ? each(metrics) : each,
  );
  const controllers = [...declared, ...(made.controllers ?? [])];
  const webhooks = [...(definition.webhooks ?? []), ...(made.webhooks ?? [])];
  const named = [definition.resources, made.resources].filter((resources) => resources !== undefined);
  return {
    controllers,
    webhooks,
    resources: named.length === 0 ? ownKinds(controllers, webhooks) : named.flat(),
    indexes: [...(definition.indexes ?? []), ...(made.indexes ?? [])],
    cache: [...(definition.cache ?? []), ...(made.cache ?? [])],
    uses: [...(definition.uses ?? []), ...(made.uses ?? [])],
    setup: async (manager) => {
      await definition.setup?.(manager, settings);
      await made.setup?.(manager);
    },
  };
}

function invalidOperator(name: string, problem: string): InvalidManagerError {
  return new InvalidManagerError(`define operator ${JSON.stringify(name)}`, problem);
}

function parseSettings(operator: string, schema: z.ZodObject, values: unknown): unknown {
  const { success, data, error } = schema.safeParse(values);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`);
  throw new InvalidSettingsError(operator, problems);
}

function ownKinds(
  controllers: readonly Pick<ControllerDefinition<never>, "kind">[],
  webhooks: readonly (Admission | Conversion)[],
): readonly AnyDefinedResource[] {
  const kinds = [
    ...controllers.map(({ kind }) => kind),
    ...webhooks.map((webhook) => (isConversion(webhook) ? resourceOf(webhook.hub) : webhook.resource)),
  ];
  const defined = kinds.filter((kind) => kind !== undefined).filter(isDefined);
  return [...new Set(defined)];
}

function webhookSet(webhooks: readonly (Admission | Conversion)[]): WebhookSet {
  const conversions = webhooks.filter(isConversion);
  return {
    admissions: webhooks.filter((webhook): webhook is Admission => !isConversion(webhook)),
    conversions,
    converted: conversions.map(({ hub }) => resourceOf(hub)).filter((hub) => hub !== undefined),
  };
}

function isConversion(webhook: Admission | Conversion): webhook is Conversion {
  return "hub" in webhook;
}

/** A kind that has a path of its own. */
function resourceOf(kind: Kind): Resource | undefined {
  return isResource(kind) ? kind : undefined;
}

function isResource(kind: Kind): kind is Resource {
  return "plural" in kind && "scope" in kind;
}

/**
 * Everything that an operator uses of the API by what it declares, cluster-wide: its RBAC rules are made of it. What its
 * `setup` adds is not included, nor what the manager itself needs for Events, leader election and webhooks.
 */
export function operatorUses({ uses, controllers }: Operator): readonly ApiUse[] {
  return [
    ...uses,
    ...controllers.flatMap(({ sources, uses: own = [] }) => [...usesOfSources(sources), ...own]),
  ];
}

/**
 * The cache settings of operators that share a manager. Throws an InvalidManagerError if two of them need different objects
 * of a kind: a selection of one would hide objects from the other.
 */
export function operatorCacheKinds(operators: readonly Operator[]): readonly CachedKind[] {
  const chosen = new Map<string, { readonly operator: string; readonly kind: CachedKind }>();
  for (const { name: operator, cache } of operators) {
    for (const kind of cache) {
      const id = idOf(kind.resource);
      const known = chosen.get(id);
      if (known !== undefined && !deepEqual(known.kind.settings, kind.settings))
        throw cacheConflict(known.operator, operator, kind.resource);
      chosen.set(id, { operator, kind });
    }
  }
  for (const { name: operator, cache, controllers } of operators) {
    const own = new Set(cache.map(({ resource }) => idOf(resource)));
    for (const { resource } of controllers.flatMap(({ sources }) =>
      sources.flatMap(({ watches }) => watches ?? []),
    )) {
      const known = chosen.get(idOf(resource));
      if (known !== undefined && !own.has(idOf(resource)))
        throw cacheConflict(known.operator, operator, resource);
    }
  }
  return [...chosen.values()].map(({ kind }) => kind);
}

function idOf(resource: Resource): string {
  return `${groupResourceOf(resource)}${asRepresentation(resource)}`;
}

function cacheConflict(one: string, other: string, resource: Resource): InvalidManagerError {
  return new InvalidManagerError(
    `run operators ${one} and ${other} together`,
    `they cache different ${groupResourceOf(resource)}; run them in processes of their own`,
  );
}
