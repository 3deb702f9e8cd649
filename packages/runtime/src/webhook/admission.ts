import type { Draft, GroupVersionKind, Kind, KubeObject, LabelSelector, Resource } from "@keelson/core";
import type { AdmissionRequest, Operation } from "./admission-review.ts";
import { type DenialDetails, InvalidWebhookError } from "./errors.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** What every handler of an admission webhook is given beside the objects. */
export interface AdmissionCall extends WebhookCall {
  readonly request: AdmissionRequest;
  /** Denies the request by throwing an AdmissionDeniedError. The user sees the message. */
  deny(message: string, details?: DenialDetails): never;
  /** Adds a warning to the response, whether it allows the request or not; kubectl prints it. */
  warn(message: string): void;
}

/** The call of a mutator. `old` is the stored object. */
export type Mutation<T extends KubeObject> = AdmissionCall &
  (
    | { readonly operation: "CREATE" | "CONNECT"; readonly object: Draft<T>; readonly old: undefined }
    | { readonly operation: "UPDATE"; readonly object: Draft<T>; readonly old: T }
  );

/** The call of a validator. `object` is the object to be stored or, for DELETE, the stored object, which is `old` too. */
export type Validation<T extends KubeObject> = AdmissionCall &
  (
    | { readonly operation: "CREATE" | "CONNECT"; readonly object: T; readonly old: undefined }
    | { readonly operation: "UPDATE" | "DELETE"; readonly object: T; readonly old: T }
  );

/**
 * Changes an object before it is validated and stored: in place, since `object` is a private copy, or by returning
 * another object. Everything else stays as the user sent it, also fields that the kind does not declare.
 */
export type Mutator<T extends KubeObject> = (
  call: Mutation<T>,
) => T | Draft<T> | Nothing | Promise<T | Draft<T> | Nothing>;

/** Calls `deny` if the object must not be stored or deleted; otherwise returns. */
export type Validator<T extends KubeObject> = (call: Validation<T>) => Nothing | Promise<Nothing>;

// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
type Nothing = void | undefined;

/** The fields of the generated webhook configuration, and where the webhook is served. */
export interface AdmissionSettings {
  /** What happens to requests while the webhook cannot be reached or its handler throws. Default Fail: they are refused. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** CEL expressions that must all hold for the webhook to be called. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /**
   * Which updates of an object that is being deleted pass without the webhook, so that its deletion ends while the webhook
   * cannot be reached [WH10]. Default SkipFinalizers: those that change only finalizers. SkipUpdates: all. Call: none.
   */
  readonly duringDeletion?: "SkipFinalizers" | "SkipUpdates" | "Call";
  /** Whether requests for other versions of the kind are converted and sent as well. Default Equivalent: they are. */
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** Whether handlers change other objects. Default None. Handlers that do must respect `request.dryRun`. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** How long the API server waits, 1 to 30. Default 10. */
  readonly timeoutSeconds?: number;
  /** Whether mutators are called again after a later webhook has changed the object. Default Never. */
  readonly reinvocationPolicy?: "IfNeeded" | "Never";
  /** The subresource, such as `status`, whose requests are sent. Default: the requests for the objects themselves. */
  readonly subresource?: string;
  /** Default: `<kind>.<version>.<group>`. Prefixed by `mutate.` or `validate.`; users see it when a request is denied. */
  readonly name?: string;
  /** Default: the paths of controller-runtime, such as `/mutate-example-com-v1-webapp`. */
  readonly paths?: { readonly mutate?: string; readonly validate?: string };
}

/** When a mutator runs. */
export interface MutatorOptions {
  /** Default CREATE and UPDATE. */
  readonly operations?: readonly Exclude<Operation, "DELETE">[];
}

/** When a validator runs. */
export interface ValidatorOptions {
  /** Default CREATE and UPDATE. */
  readonly operations?: readonly Operation[];
}

/** A mutator with its operations. `handle` is a method, so that webhooks of several kinds fit in one list. */
export interface MutatorStep<T extends KubeObject> {
  readonly operations: readonly Operation[];
  handle(call: Mutation<T>): ReturnType<Mutator<T>>;
}

/** A validator with its operations. */
export interface ValidatorStep<T extends KubeObject> {
  readonly operations: readonly Operation[];
  handle(call: Validation<T>): ReturnType<Validator<T>>;
}

/**
 * The admission webhooks of one kind, as data: the webhook server serves them, and the webhook configurations are
 * generated from them. Each method returns a new value.
 *
 *     const webhooks = admission(WebApp)
 *       .mutate(({ object }) => {
 *         object.spec.replicas ??= 1;
 *       })
 *       .validate(({ object, old, deny, warn }) => {
 *         if (old !== undefined && old.spec.port !== object.spec.port) deny("the port cannot change", { field: "spec.port" });
 *         if (object.spec.replicas > 100) warn("more than 100 replicas are rarely intended");
 *       });
 */
export interface Admission<T extends KubeObject = KubeObject> {
  readonly resource: Resource;
  readonly settings: AdmissionSettings;
  readonly mutators: readonly MutatorStep<T>[];
  readonly validators: readonly ValidatorStep<T>[];
  /** Adds a mutator. It runs after the earlier ones, on their result [WH4]. */
  mutate(handler: Mutator<T>, options?: MutatorOptions): Admission<T>;
  /** Adds a validator. It runs after the earlier ones, unless one of them denied the request [WH4]. */
  validate(handler: Validator<T>, options?: ValidatorOptions): Admission<T>;
  /** The path of the URL at which it is served. */
  pathOf(verb: "mutate" | "validate"): string;
  /** The name in the webhook configuration, which users see. */
  nameOf(verb: "mutate" | "validate"): string;
}

/** Declares the admission webhooks of a kind. If the objects of a subresource have another kind, `as` names it. */
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

/** Such as `/validate-example-com-v1-webapp`: the paths of controller-runtime, so that its manifests work. */
function admissionPath(
  verb: "mutate" | "validate",
  { group, version, kind }: GroupVersionKind,
  subresource?: string,
): string {
  const base = `/${verb}-${group.replaceAll(".", "-")}-${version}-${kind.toLowerCase()}`;
  return subresource === undefined ? base : `${base}-${subresource}`;
}
