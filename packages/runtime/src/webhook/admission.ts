import type { Draft, GroupVersionKind, Kind, KubeObject, LabelSelector, Resource } from "@keelson/core";
import type { AdmissionRequest, Operation } from "./admission-review.ts";
import { type DenialDetails, InvalidWebhookError } from "./errors.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** What every handler of an admission webhook gets beside the objects. */
export interface AdmissionCall extends WebhookCall {
  readonly request: AdmissionRequest;
  /** Refuses the request: throws an AdmissionDeniedError, so nothing after it runs. The message is for the user. */
  deny(message: string, details?: DenialDetails): never;
  /** Lets the user know of something that is no reason to refuse; kubectl prints it. */
  warn(message: string): void;
}

/** `old` is the object as it is stored. */
export type Mutation<T extends KubeObject> = AdmissionCall &
  (
    | { readonly operation: "CREATE" | "CONNECT"; readonly object: Draft<T>; readonly old: undefined }
    | { readonly operation: "UPDATE"; readonly object: Draft<T>; readonly old: T }
  );

/** `object` is what is to be stored, and for DELETE what is to be deleted, which is `old` as well. */
export type Validation<T extends KubeObject> = AdmissionCall &
  (
    | { readonly operation: "CREATE" | "CONNECT"; readonly object: T; readonly old: undefined }
    | { readonly operation: "UPDATE" | "DELETE"; readonly object: T; readonly old: T }
  );

/**
 * Changes an object before it is validated and stored: in place, since it is a private copy, or by returning another
 * one. What it does not touch stays as the user sent it, also fields that the kind does not declare.
 */
export type Mutator<T extends KubeObject> = (
  call: Mutation<T>,
) => T | Draft<T> | Nothing | Promise<T | Draft<T> | Nothing>;

/** Calls `deny` if an object must not become what it is to become, or go; otherwise returns. */
export type Validator<T extends KubeObject> = (call: Validation<T>) => Nothing | Promise<Nothing>;

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has nothing to say
type Nothing = void | undefined;

export interface AdmissionSettings {
  /** What becomes of requests while the webhook cannot answer, or its handler throws. Default Fail: they are refused. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** CEL expressions that must all hold for the webhook to be called. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Whether requests for another version of the kind are converted and sent, too. Default Equivalent: they are. */
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** Whether handlers change something elsewhere. Default None. Those that do must heed `request.dryRun`. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** How long the API server waits, 1 to 30. Default 10. */
  readonly timeoutSeconds?: number;
  /** Whether mutators are asked again when a later webhook has changed the object. Default Never. */
  readonly reinvocationPolicy?: "IfNeeded" | "Never";
  /** Only requests to this part of the objects, such as `status`. Default: the objects themselves. */
  readonly subresource?: string;
  /** Default: `<kind>.<version>.<group>`; `mutate.` or `validate.` is put before it. Users see it when refused. */
  readonly name?: string;
  /** Default: as controller-runtime has them, such as `/mutate-example-com-v1-webapp`. */
  readonly paths?: { readonly mutate?: string; readonly validate?: string };
}

export interface MutatorOptions {
  /** Default CREATE and UPDATE. */
  readonly operations?: readonly Exclude<Operation, "DELETE">[];
}

export interface ValidatorOptions {
  /** Default CREATE and UPDATE. */
  readonly operations?: readonly Operation[];
}

/** A handler and when it runs. Its handler is a method, so that webhooks of any kind can be put in one list. */
export interface MutatorStep<T extends KubeObject> {
  readonly operations: readonly Operation[];
  handle(call: Mutation<T>): ReturnType<Mutator<T>>;
}

export interface ValidatorStep<T extends KubeObject> {
  readonly operations: readonly Operation[];
  handle(call: Validation<T>): ReturnType<Validator<T>>;
}

/**
 * The admission webhooks of one kind, as data: a server serves it and a configuration is generated from it. Each call
 * gives a new value.
 *
 *     const webhooks = admission(WebApp)
 *       .mutate(({ object }) => {
 *         object.spec.replicas ??= 1;
 *       })
 *       .validate(({ object, old, deny, warn }) => {
 *         if (old !== undefined && old.spec.port !== object.spec.port) deny("the port cannot change", { field: "spec.port" });
 *         if (object.spec.replicas > 100) warn("more than 100 replicas are rarely meant");
 *       });
 */
export interface Admission<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  readonly settings: AdmissionSettings;
  readonly mutators: readonly MutatorStep<T>[];
  readonly validators: readonly ValidatorStep<T>[];
  /** Runs after the mutators so far, on what they made of the object [WH4]. */
  mutate(handler: Mutator<T>, options?: MutatorOptions): Admission<T>;
  /** Runs after the validators so far, unless one of them denied [WH4]. */
  validate(handler: Validator<T>, options?: ValidatorOptions): Admission<T>;
  pathOf(verb: "mutate" | "validate"): string;
  /** What users see the webhook called. */
  nameOf(verb: "mutate" | "validate"): string;
}

/** Begins the admission webhooks of a kind; of a subresource whose objects are of another kind if `as` names it. */
export function admission<S extends KubeObject>(
  resource: Resource,
  settings: AdmissionSettings & { readonly subresource: string; readonly as: Kind<S> },
): Admission<S>;
export function admission<T extends KubeObject>(
  resource: Resource<T>,
  settings?: AdmissionSettings,
): Admission<T>;
export function admission<T extends KubeObject>(
  resource: Resource<T>,
  { as: _, ...settings }: AdmissionSettings & { readonly as?: Kind } = {},
): Admission<T> {
  const { timeoutSeconds = 10 } = settings;
  if (!(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 30)) {
    const problem = `timeoutSeconds is ${timeoutSeconds}; use a whole number from 1 to 30`;
    throw new InvalidWebhookError(`define the admission of ${resource.kind}`, problem);
  }
  return admissionOf<T>(resource, settings, [], []);
}

const storing = ["CREATE", "UPDATE"] as const;

function admissionOf<T extends KubeObject>(
  resource: Resource,
  settings: AdmissionSettings,
  mutators: readonly MutatorStep<T>[],
  validators: readonly ValidatorStep<T>[],
): Admission<T> {
  const { group, version, kind } = resource;
  const { name = `${kind.toLowerCase()}.${version}.${group === "" ? "core" : group}`, subresource } =
    settings;
  return {
    resource,
    settings,
    mutators,
    validators,
    mutate: (handle, { operations = storing } = {}) =>
      admissionOf(resource, settings, [...mutators, { handle, operations }], validators),
    validate: (handle, { operations = storing } = {}) =>
      admissionOf(resource, settings, mutators, [...validators, { handle, operations }]),
    pathOf: (verb) => settings.paths?.[verb] ?? admissionPath(verb, resource, subresource),
    nameOf: (verb) => (subresource === undefined ? `${verb}.${name}` : `${verb}.${subresource}.${name}`),
  };
}

/** Such as `/validate-example-com-v1-webapp`: the paths of controller-runtime, so that its manifests fit. */
function admissionPath(
  verb: "mutate" | "validate",
  { group, version, kind }: GroupVersionKind,
  subresource?: string,
): string {
  const base = `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;
  return subresource === undefined ? base : `${base}-${subresource}`;
}
