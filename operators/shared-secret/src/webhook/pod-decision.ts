import { formatKey } from "keelson";
import type { Container, Pod } from "keelson/kinds/core/v1";
import type { Claimant } from "../api/claimant.ts";
import { formatConsumer } from "../api/consumer.ts";
import { consumerAnnotation, injectedAnnotation, rotatorAccountOf } from "../api/names.ts";
import { missingAccess, type SharedSecrets } from "./access.ts";
import { tokenVolume } from "./account-token.ts";
import { type Asks, formatInjected, mountPathAnnotation } from "./asks.ts";
import { findPlaceholders, type PlaceholderFindings } from "./placeholder.ts";
import { containersOf } from "./pod-containers.ts";
import {
  planRotators,
  type RotatorImages,
  rotatedInPod,
  rotatorObstacles,
  withRotators,
} from "./rotator-sidecar.ts";
import { usableSecret, type ValueMount, valueMountsOf, withValues } from "./value-injection.ts";

/** All that counts for a new pod. */
export interface PodFacts {
  readonly pod: Pod;
  readonly claimant: Claimant;
  /** With no problems. */
  readonly asks: Pick<Asks, "asks" | "mountPath">;
  readonly sharedSecrets: SharedSecrets;
  /** Whether the ServiceAccount of the rotator exists. It counts only if the pod gets one. */
  readonly hasAccount: boolean;
  readonly rotatorImages: RotatorImages;
}

/** What becomes of a new pod. */
export type PodDecision =
  | { readonly type: "denied"; readonly problems: readonly string[] }
  /** It may be unchanged but for annotations: the warnings say what it waits for. */
  | { readonly type: "admitted"; readonly pod: Pod; readonly warnings: readonly string[] };

const lostAccess = `the pod has references to secrets that it may not use any more; create it again, without the annotation ${injectedAnnotation}`;

/** Decides about a new pod that asks for something. It gets all that it asks for, or nothing. */
export function decidePod(facts: PodFacts): PodDecision {
  const { pod, asks, claimant } = facts;
  const plan = planInjection(facts);
  const waits = [...missingAccess(claimant, asks.asks, facts.sharedSecrets), ...missingAccount(facts, plan)];
  const consumer = formatConsumer(claimant.consumer);
  const problems = [...plan.problems, ...takenNames(pod, plan)];
  if (waits.length > 0) {
    if (isInjected(facts, plan)) return { type: "denied", problems: [lostAccess] };
    const later = problems.map((problem) => `the pod cannot be restarted with access: ${problem}`);
    const admitted = withAnnotations(pod, { [consumerAnnotation]: consumer, [injectedAnnotation]: "" });
    return { type: "admitted", pod: admitted, warnings: [...waits, ...later] };
  }
  if (problems.length > 0) return { type: "denied", problems };
  const annotations = { [consumerAnnotation]: consumer, [injectedAnnotation]: plan.injected };
  return {
    type: "admitted",
    pod: withAnnotations(inject(facts, plan), annotations),
    warnings: [...plan.placeholders.warnings, ...unusedWarnings(facts, plan)],
  };
}

/** The pod without what only this operator may say about it. */
export function withoutAnnotations(pod: Pod): Pod {
  const { annotations } = pod.metadata;
  if (annotations === undefined) return pod;
  const { [consumerAnnotation]: _consumer, [injectedAnnotation]: _injected, ...others } = annotations;
  return { ...pod, metadata: { ...pod.metadata, annotations: others } };
}

/** What is added to the pod if it may have everything. */
interface InjectionPlan {
  /** As in the annotation of the pod. */
  readonly injected: string;
  readonly placeholders: PlaceholderFindings;
  readonly mounts: readonly ValueMount[];
  readonly rotators: readonly Container[];
  /** The SharedSecrets that the pod uses, as `namespace/name`. */
  readonly used: ReadonlySet<string>;
  readonly account: string;
  readonly problems: readonly string[];
}

function planInjection({ pod, claimant, asks, sharedSecrets, rotatorImages }: PodFacts): InjectionPlan {
  const { namespace } = claimant.consumer;
  const account = rotatorAccountOf(claimant.consumer);
  const rotated = rotatedInPod(asks.asks, sharedSecrets);
  const rotatedKeys = new Set(rotated.map(({ sharedSecret }) => formatKey(sharedSecret.metadata)));
  const secrets = asks.asks.map(({ secret }) => secret);
  // What a rotator in the pod writes, the others need not have.
  const mounted =
    asks.mountPath === undefined ? [] : secrets.filter((secret) => !rotatedKeys.has(formatKey(secret)));
  const placeholders = findPlaceholders(pod, asks.asks, namespace);
  const { rotators, problems } = planRotators(rotated, rotatorImages, pod);
  return {
    injected: formatInjected(asks.asks),
    placeholders,
    mounts: valueMountsOf(mounted, asks.mountPath ?? "", namespace),
    rotators,
    used: new Set([...placeholders.used, ...mounted.map(formatKey), ...rotatedKeys]),
    account,
    problems: [
      ...placeholders.problems,
      ...problems,
      ...(rotated.length === 0 ? [] : rotatorObstacles(pod, account)),
    ],
  };
}

function inject({ pod, claimant, asks }: PodFacts, { mounts, rotators, account }: InjectionPlan): Pod {
  const withAccess = withValues(pod, {
    podNamespace: claimant.consumer.namespace,
    except: new Set(rotators.map(({ name }) => name)),
    granted: new Set(asks.asks.map(({ secret }) => formatKey(secret))),
    mounts,
  });
  return withRotators(withAccess, rotators, account);
}

function missingAccount({ hasAccount, claimant }: PodFacts, { rotators, account }: InjectionPlan): string[] {
  if (hasAccount || rotators.length === 0) return [];
  const what = `${formatConsumer(claimant.consumer)} waits for ServiceAccount ${account} of its rotator`;
  return [`${what}; the pod runs without it and is restarted when the operator has created it`];
}

/**
 * Whether this webhook has changed the pod before: the API server calls it again after others have changed the pod. Names
 * that it uses are then its own, and what others have changed since, such as the registry of an image, stays.
 */
function isRepeated({ metadata }: Pod, { injected }: InjectionPlan): boolean {
  return metadata.annotations?.[injectedAnnotation] === injected;
}

/** Names that the injection needs and that something else has. */
function takenNames(pod: Pod, plan: InjectionPlan): readonly string[] {
  if (isRepeated(pod, plan)) return [];
  const { containers, volumes } = reservedNames(plan);
  const present = containersOf(pod);
  // A mount without its volume would get the one that is added.
  const mounted = present.flatMap(({ volumeMounts = [] }) => volumeMounts);
  const named = new Set([...(pod.spec?.volumes ?? []), ...mounted].map(({ name }) => name));
  const advice = "the operator uses this name; choose another";
  return [
    ...present.filter(({ name }) => containers.has(name)).map(({ name }) => `container ${name}: ${advice}`),
    ...[...named].filter((name) => volumes.has(name)).map((name) => `volume ${name}: ${advice}`),
  ];
}

/** Whether the pod refers already to what it may not have: access was lost between two calls of the API server for one pod. */
function isInjected({ pod, claimant, asks }: PodFacts, plan: InjectionPlan): boolean {
  if (!isRepeated(pod, plan)) return false;
  const { containers, volumes } = reservedNames(plan);
  const secrets = new Set(asks.asks.map(({ secret }) => usableSecret(secret, claimant.consumer.namespace)));
  return (
    (pod.spec?.volumes ?? []).some(({ name }) => volumes.has(name)) ||
    containersOf(pod).some(
      ({ name, env = [] }) =>
        containers.has(name) || env.some(({ valueFrom }) => secrets.has(valueFrom?.secretKeyRef?.name ?? "")),
    )
  );
}

function unusedWarnings({ pod, asks }: PodFacts, plan: InjectionPlan): readonly string[] {
  // Its placeholders are replaced already.
  if (isRepeated(pod, plan)) return [];
  return asks.asks
    .map(({ secret }) => formatKey(secret))
    .filter((key) => !plan.used.has(key))
    .map(
      (key) =>
        `nothing in the pod uses SharedSecret ${key}; give a variable the value <${key}>, or set the annotation ${mountPathAnnotation}`,
    );
}

function withAnnotations(pod: Pod, added: Readonly<Record<string, string>>): Pod {
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...added } } };
}

function reservedNames({ mounts, rotators }: InjectionPlan): {
  readonly containers: ReadonlySet<string>;
  readonly volumes: ReadonlySet<string>;
} {
  return {
    containers: new Set(rotators.map(({ name }) => name)),
    volumes: new Set([
      ...mounts.map(({ volume }) => volume.name),
      ...(rotators.length === 0 ? [] : [tokenVolume.name]),
    ]),
  };
}
