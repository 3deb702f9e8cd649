import { apiVersionOf, type Kind, type KubeObject, type ObjectMeta } from "@keelson/core";
import { ConversionError, InvalidWebhookError } from "./errors.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** Where the API server sends requests for conversion. */
export const convertPath = "/convert";

/**
 * An object in another version, as an author writes it: apiVersion and kind are filled in, and so is the metadata. Of
 * metadata that is given only labels and annotations count, since the API server lets a conversion change no more.
 */
export type Converted<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations">;
};

/** How one version becomes the hub's and is made of it. Each way must keep what the other cannot express. */
export interface Spoke<Hub extends KubeObject, Version extends KubeObject> {
  toHub(object: Version, call: WebhookCall): Converted<Hub> | Promise<Converted<Hub>>;
  fromHub(object: Hub, call: WebhookCall): Converted<Version> | Promise<Converted<Version>>;
}

/**
 * Conversion between the versions of a kind: every one goes through the hub, so n versions need n pairs of functions.
 * Each call gives a new value.
 *
 *     const webAppVersions = conversion(WebAppV2).spoke(WebAppV1, {
 *       toHub: ({ spec }) => ({ spec: { image: spec.image, scale: { replicas: spec.replicas } } }),
 *       fromHub: ({ spec }) => ({ spec: { image: spec.image, replicas: spec.scale.replicas } }),
 *     });
 */
export interface Conversion<Hub extends KubeObject = KubeObject> {
  readonly hub: Kind<Hub>;
  /** Adds a version. */
  spoke<Version extends KubeObject>(version: Kind<Version>, ways: Spoke<Hub, Version>): Conversion<Hub>;
  /** Gives the object in another version; the object itself is left as it was. */
  convert(object: KubeObject, apiVersion: string, call: WebhookCall): Promise<KubeObject>;
}

/** Begins the conversion of a kind with the version that all others are converted by; best the stored one. */
export function conversion<Hub extends KubeObject>(hub: Kind<Hub>): Conversion<Hub> {
  return conversionOf<Hub>(hub, new Map());
}

/** The ways of a version, by which kind-specific types are forgotten: they are found again by its name. */
type Ways = Spoke<KubeObject, KubeObject>;
type Step = (object: KubeObject, call: WebhookCall) => Promise<KubeObject>;

/** A version's place among the others, and how to get to the hub and back. */
interface Leg {
  readonly toHub: Step;
  readonly fromHub: Step;
}

function conversionOf<Hub extends KubeObject>(
  hub: Kind<Hub>,
  spokes: ReadonlyMap<string, Leg>,
): Conversion<Hub> {
  return {
    hub,
    spoke: (version, ways) => {
      checkSpoke(hub, version, spokes);
      return conversionOf(hub, new Map(spokes).set(apiVersionOf(version), legOf(hub, version, ways)));
    },
    convert: async (object, apiVersion, call) => {
      let current = object;
      for (const step of stepsBetween(hub, spokes, object, apiVersion)) current = await step(current, call);
      return current;
    },
  };
}

function checkSpoke(hub: Kind, version: Kind, spokes: ReadonlyMap<string, Leg>): void {
  const what = `add ${describe(apiVersionOf(version), version.kind)} to the conversion of ${hub.kind}`;
  if (version.group !== hub.group || version.kind !== hub.kind) {
    throw new InvalidWebhookError(
      what,
      `its hub is ${describe(apiVersionOf(hub), hub.kind)}; convert within one kind`,
    );
  }
  if (version.version === hub.version)
    throw new InvalidWebhookError(what, "it is the hub; add the other versions");
  if (spokes.has(apiVersionOf(version))) throw new InvalidWebhookError(what, "it was added before");
}

function legOf(hub: Kind, version: Kind, ways: Ways): Leg {
  return {
    toHub: async (object, call) => complete(hub, object, await ways.toHub(object, call)),
    fromHub: async (object, call) => complete(version, object, await ways.fromHub(object, call)),
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
  spokes: ReadonlyMap<string, Leg>,
  object: KubeObject,
  apiVersion: string,
): readonly Step[] {
  const from = describe(object.apiVersion, object.kind);
  const fail = (problem: string): ConversionError =>
    new ConversionError(from, describe(apiVersion, object.kind), problem);
  if (object.apiVersion === apiVersion) throw fail("both are the same version");
  const hubVersion = apiVersionOf(hub);
  const steps: Step[] = [];
  for (const [version, way] of [
    [object.apiVersion, "toHub"],
    [apiVersion, "fromHub"],
  ] as const) {
    if (version === hubVersion) continue;
    const leg = spokes.get(version);
    if (leg === undefined) {
      const known = [hubVersion, ...spokes.keys()].join(", ");
      throw fail(`${version} is not among the versions of ${hub.kind}: ${known}`);
    }
    steps.push(leg[way]);
  }
  return steps;
}

function describe(apiVersion: string, kind: string): string {
  return `${kind} of ${apiVersion}`;
}
