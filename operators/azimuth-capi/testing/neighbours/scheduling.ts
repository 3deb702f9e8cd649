import {
  controller,
  defineOperator,
  jsonPatch,
  type KubeObject,
  keyOf,
  NotFoundError,
  type ObjectContext,
  type Operator,
  type ReconcileResult,
  type Resource,
  type Stored,
} from "keelson";
import { RestMapper } from "keelson/client";
import { Secret } from "keelson/kinds/core/v1";
import { type NamespacedMeta, parseApiVersion } from "keelson/low-level";
import { removeFinalizerPatch } from "keelson/object";
import type { Knobs, Pace, Wait } from "../knobs.ts";
import { ensureMetadata } from "./objects.ts";

export interface Lease extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly cloudCredentialsSecretName: string;
    readonly startsAt?: string | null;
    readonly endsAt?: string | null;
    readonly gracePeriod?: number | null;
    readonly resources: {
      readonly machines?: readonly { readonly sizeId: string; readonly count: number }[];
    };
  };
  readonly status?: {
    readonly phase?: string;
    readonly errorMessage?: string;
    readonly sizeMap?: Readonly<Record<string, string>>;
    readonly sizeNameMap?: Readonly<Record<string, string>>;
  };
}

export const Lease: Resource<Lease> = {
  group: "scheduling.azimuth.stackhpc.com",
  version: "v1alpha1",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
};

/** A phase, and how long a Lease is in it. */
interface LeaseStep {
  readonly phase: string;
  readonly forMs: number;
  /** Of phase Error. */
  readonly errorMessage?: string;
}

export interface SchedulingKnobs {
  /** What a Lease goes through from its start on; it stays in the last one. */
  readonly steps: readonly LeaseStep[];
  /** The names of reserved flavors by the names of requested ones. Those that are missing are reserved under their name. */
  readonly reservedNames: Readonly<Record<string, string>>;
  /** How often it is checked whether a Lease has started or is about to end. */
  readonly checkMs: number;
}

export const schedulingDefaults: SchedulingKnobs = {
  steps: [
    { phase: "Pending", forMs: 30 },
    { phase: "Starting", forMs: 30 },
    { phase: "Active", forMs: Number.POSITIVE_INFINITY },
  ],
  reservedNames: {},
  checkMs: 100,
};

/** The ids of flavors in this simulated cloud. */
export const flavorId = (name: string): string => `id-of-${name}`;
const flavorName = (id: string): string => id.replace(/^id-of-/, "");

const finalizer = "scheduling.azimuth.stackhpc.com";
const defaultGraceSeconds = 600;

/** The schedule operator of Azimuth, with a simulated Blazar behind it. */
export function schedulingOperator(knobs: Knobs<SchedulingKnobs>, pace: Pace): Operator {
  const leases = controller(Lease)
    .named("leases")
    .source(knobs.source(Lease))
    .reconcile(async (context) => {
      const { object, client } = context;
      if (object.metadata.deletionTimestamp !== undefined) return deleteLease(context);
      await ensureMetadata(client, { object, resource: Lease }, { finalizer });
      return reconcileLease(context, knobs.in(object.metadata.namespace), pace);
    });
  return defineOperator({ name: "scheduling", controllers: [leases] });
}

async function reconcileLease(
  context: ObjectContext<Lease>,
  { steps, reservedNames, checkMs }: SchedulingKnobs,
  pace: Pace,
): Promise<ReconcileResult> {
  const { object, setStatus, clock } = context;
  const { startsAt, endsAt, gracePeriod, resources } = object.spec;
  const check = { requeueAfterMs: checkMs };
  if ((startsAt ?? undefined) !== undefined && Date.parse(startsAt ?? "") > clock.now()) {
    await setStatus({ phase: "Pending" });
    return check;
  }
  const { step, wait } = currentStep(object, steps, pace);
  const ids = (resources.machines ?? []).map(({ sizeId }) => sizeId);
  const reserved = (name: string): string => reservedNames[name] ?? name;
  await setStatus({
    phase: step.phase,
    ...(step.errorMessage !== undefined && { errorMessage: step.errorMessage }),
    // Once it was active, the map stays.
    ...(step.phase === "Active"
      ? {
          sizeMap: Object.fromEntries(ids.map((id) => [id, flavorId(reserved(flavorName(id)))])),
          sizeNameMap: Object.fromEntries(ids.map((id) => [flavorName(id), reserved(flavorName(id))])),
        }
      : mapsOf(object)),
  });
  const hasEnd = (endsAt ?? undefined) !== undefined;
  const graceMs = (gracePeriod ?? defaultGraceSeconds) * 1_000;
  if (hasEnd && Date.parse(endsAt ?? "") - graceMs < clock.now()) await deleteOwners(context);
  if (hasEnd) return { requeueAfterMs: Math.min(checkMs, wait?.requeueAfterMs ?? checkMs) };
  return wait;
}

function mapsOf({ status }: Lease): Pick<NonNullable<Lease["status"]>, "sizeMap" | "sizeNameMap"> {
  const { sizeMap, sizeNameMap } = status ?? {};
  return { ...(sizeMap !== undefined && { sizeMap }), ...(sizeNameMap !== undefined && { sizeNameMap }) };
}

/** Each step begins when the one before has ended, so that none is left out on a busy machine. */
function currentStep(
  lease: Stored<Lease>,
  steps: readonly LeaseStep[],
  pace: Pace,
): { readonly step: LeaseStep; readonly wait: Wait | undefined } {
  for (const [index, step] of steps.entries()) {
    const wait = pace.wait(lease, `step ${index}`, step.forMs);
    if (wait !== undefined) return { step, wait };
  }
  return { step: steps.at(-1) ?? { phase: "Unknown", forMs: 0 }, wait: undefined };
}

/** The end of a Lease is the end of what it is for. */
async function deleteOwners({ object, liveClient, log }: ObjectContext<Lease>): Promise<void> {
  const { namespace, ownerReferences = [] } = object.metadata;
  const mapper = new RestMapper(liveClient);
  for (const { apiVersion, kind, name, uid } of ownerReferences) {
    const resource = await mapper.resourceFor({ ...parseApiVersion(apiVersion), kind });
    log.info("the lease ends: deleting its owner", { kind, name });
    await liveClient
      .delete(
        resource,
        { ...(namespace !== undefined && { namespace }), name },
        { propagationPolicy: "Foreground", preconditions: { uid } },
      )
      .catch(unlessNotFound);
  }
}

/** Its machines need the credentials until all others have let go of the Lease. */
async function deleteLease({ object, setStatus, client }: ObjectContext<Lease>): Promise<ReconcileResult> {
  const { namespace, finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) return;
  if (finalizers.some((each) => each !== finalizer)) return;
  await setStatus({ ...object.status, phase: "Deleting" });
  const { cloudCredentialsSecretName: name } = object.spec;
  await client.delete(Secret, { ...(namespace !== undefined && { namespace }), name }).catch(unlessNotFound);
  const patch = removeFinalizerPatch(object, finalizer);
  if (patch !== undefined) await client.patch(Lease, keyOf(object), jsonPatch(patch)).catch(unlessNotFound);
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}
