import { apiVersionOf, type Kind, type KubeObject, type ObjectMeta } from "@keelson/core";
import { ConversionError, InvalidWebhookError } from "./errors.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** Where the API server sends requests for conversion. */
export const convertPath = "/convert";

/**
 * The result of a conversion function. apiVersion, kind and metadata are filled in. Of given metadata only labels and
 * annotations are used, since the API server allows a conversion to change nothing else.
 */
export type Converted<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations">;
};

/** Converts between one version and the hub. Each function must preserve what the other version cannot express. */
export interface Spoke<Hub extends KubeObject, Version extends KubeObject> {
  toHub(object: Version, call: WebhookCall): Converted<Hub> | Promise<Converted<Hub>>;
  fromHub(object: Hub, call: WebhookCall): Converted<Version> | Promise<Converted<Version>>;
}

/**
 * The conversion between the versions of a kind. Every conversion goes through the hub, so that each other version needs
 * one pair of functions. Each method returns a new value.
 *
 *     const webAppVersions = conversion(WebAppV2).spoke(WebAppV1, {
 *       toHub: ({ spec }) => ({ spec: { image: spec.image, scale: { replicas: spec.replicas } } }),
 *       fromHub: ({ spec }) => ({ spec: { image: spec.image, replicas: spec.scale.replicas } }),
 *     });
 */
export interface Conversion<Hub extends KubeObject = KubeObject> {
  readonly hub: Kind<Hub>;
  /** Adds a version. */
  spoke<Version extends KubeObject>(version: Kind<Version>, functions: Spoke<Hub, Version>): Conversion<Hub>;
  /** Returns the object in another version; does not change the given one. Throws a ConversionError. */
  convert(object: KubeObject, apiVersion: string, call: WebhookCall): Promise<KubeObject>;
}

/** Declares the conversion of a kind with its hub: the version that all conversions go through, usually the stored one. */
export function conversion<Hub extends KubeObject>(hub: Kind<Hub>): Conversion<Hub> {
  return conversionOf<Hub>(hub, new Map());
}

type Step = (object: KubeObject, call: WebhookCall) => Promise<KubeObject>;

/** The steps between one version and the hub. */
interface SpokeSteps {
  readonly toHub: Step;
  readonly fromHub: Step;
}

function conversionOf<Hub extends KubeObject>(
  hub: Kind<Hub>,
  spokes: ReadonlyMap<string, SpokeSteps>,
): Conversion<Hub> {
  return {
    hub,
    spoke: (version, functions) => {
      checkSpoke(hub, version, spokes);
      return conversionOf(
        hub,
        new Map(spokes).set(apiVersionOf(version), spokeSteps(hub, version, functions)),
      );
    },
    convert: async (object, apiVersion, call) => {
      let current = object;
      for (const step of stepsBetween(hub, spokes, object, apiVersion)) current = await step(current, call);
      return current;
    },
  };
}

function checkSpoke(hub: Kind, version: Kind, spokes: ReadonlyMap<string, SpokeSteps>): void {
  const what = `add ${describe(apiVersionOf(version), version.kind)} to the conversion of ${hub.kind}`;
  if (version.group !== hub.group || version.kind !== hub.kind) {
    throw new InvalidWebhookError(
      what,
      `its hub is ${describe(apiVersionOf(hub), hub.kind)}; a conversion is within one kind`,
    );
  }
  if (version.version === hub.version)
    throw new InvalidWebhookError(what, "it is the hub; add the other versions");
  if (spokes.has(apiVersionOf(version))) throw new InvalidWebhookError(what, "it was added before");
}

function spokeSteps(hub: Kind, version: Kind, functions: Spoke<KubeObject, KubeObject>): SpokeSteps {
  return {
    toHub: async (object, call) => complete(hub, object, await functions.toHub(object, call)),
    fromHub: async (object, call) => complete(version, object, await functions.fromHub(object, call)),
  };
}

function complete(
  kind: Kind,
  original: KubeObject,
  { metadata, ...fields }: Converted<KubeObject>,
): KubeObject {
  const { labels: _, annotations: __, ...identity } = original.metadata;
  const { labels, annotations } = metadata ?? original.metadata;
  return {
    ...fields,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      ...identity,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
  };
}

/** From a version to the hub, and from there to the other version [WH8]. */
function stepsBetween(
  hub: Kind,
  spokes: ReadonlyMap<string, SpokeSteps>,
  object: KubeObject,
  apiVersion: string,
): readonly Step[] {
  const from = describe(object.apiVersion, object.kind);
  const fail = (problem: string): ConversionError =>
    new ConversionError(from, describe(apiVersion, object.kind), problem);
  if (object.apiVersion === apiVersion) throw fail("both are the same version");
  const hubVersion = apiVersionOf(hub);
  const steps: Step[] = [];
  for (const [version, direction] of [
    [object.apiVersion, "toHub"],
    [apiVersion, "fromHub"],
  ] as const) {
    if (version === hubVersion) continue;
    const spoke = spokes.get(version);
    if (spoke === undefined) {
      const known = [hubVersion, ...spokes.keys()].join(", ");
      throw fail(`${version} is not among the versions of ${hub.kind}: ${known}`);
    }
    steps.push(spoke[direction]);
  }
  return steps;
}

function describe(apiVersion: string, kind: string): string {
  return `${kind} of ${apiVersion}`;
}
