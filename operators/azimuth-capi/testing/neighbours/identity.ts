import {
  controller,
  defineOperator,
  type KubeObject,
  type ObjectContext,
  type Operator,
  type Resource,
  type Stored,
} from "keelson";
import type { NamespacedMeta } from "keelson/low-level";
import type { Knobs, Pace, Wait } from "../knobs.ts";
import { keysIn } from "./objects.ts";

interface Realm extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec?: { readonly tenancyId?: string | null };
  readonly status?: {
    readonly phase?: string;
    readonly oidcIssuerUrl?: string;
    readonly adminUrl?: string;
    readonly platformUsersGroup?: string;
    readonly failureMessage?: string;
  };
}

interface OidcClient extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: { readonly realmName: string; readonly clientId?: string | null };
  readonly status?: { readonly phase?: string; readonly issuerUrl?: string; readonly clientId?: string };
}

interface Platform extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly realmName: string;
    readonly zenithServices?: Readonly<Record<string, { readonly subdomain: string; readonly fqdn: string }>>;
  };
  readonly status?: {
    readonly phase?: string;
    readonly rootGroup?: string;
    readonly zenithServiceSubgroups?: Readonly<Record<string, string>>;
  };
}

const api = { group: "identity.azimuth.stackhpc.com", version: "v1alpha1", scope: "Namespaced" } as const;
export const Realm: Resource<Realm> = { ...api, kind: "Realm", plural: "realms" };
export const OidcClient: Resource<OidcClient> = { ...api, kind: "OIDCClient", plural: "oidcclients" };
export const Platform: Resource<Platform> = { ...api, kind: "Platform", plural: "platforms" };

export interface IdentityKnobs {
  /** How long a Realm is Pending. */
  readonly realmMs: number;
  /** How long an OIDCClient is Pending once its Realm is Ready. */
  readonly clientMs: number;
  /** How long a Platform is Pending, or Updating after a change. */
  readonly platformMs: number;
  /** Whether a Realm of a tenancy has a group of platform users. */
  readonly hasUsersGroup: boolean;
  /** Lets Realms fail with this message. */
  readonly realmFailure: string | undefined;
}

export const identityDefaults: IdentityKnobs = {
  ...{ realmMs: 50, clientMs: 50, platformMs: 50 },
  hasUsersGroup: true,
  realmFailure: undefined,
};

const finalizer = "identity.azimuth.stackhpc.com/finalizer";

/** The identity operator of Azimuth, without a Keycloak behind it. */
export function identityOperator(knobs: Knobs<IdentityKnobs>, pace: Pace): Operator {
  const realms = controller(Realm)
    .source(knobs.source(Realm))
    .finalize(finalizer, async ({ object, setStatus }) => {
      await setStatus({ ...object.status, phase: "Deleting" });
    })
    .reconcile(async ({ object, setStatus }) => {
      const chosen = knobs.in(object.metadata.namespace);
      if (chosen.realmFailure !== undefined)
        return void (await setStatus({ phase: "Failed", failureMessage: chosen.realmFailure }));
      const wait = pace.wait(object, "realm", chosen.realmMs);
      await setStatus(wait === undefined ? readyRealm(object, chosen) : { phase: "Pending" });
      return wait;
    });
  const clients = controller(OidcClient)
    .source(knobs.source(OidcClient))
    .watches(Realm, ({ metadata: { namespace } }, { client }) => keysIn(client, OidcClient, namespace))
    .finalize(finalizer, async ({ object, setStatus }) => {
      await setStatus({ ...object.status, phase: "Deleting" });
    })
    .reconcile((context) => reconcileClient(context, knobs, pace));
  const platforms = controller(Platform)
    .source(knobs.source(Platform))
    .watches(Realm, ({ metadata: { namespace } }, { client }) => keysIn(client, Platform, namespace))
    .finalize(finalizer, async ({ object, setStatus }) => {
      await setStatus({ ...object.status, phase: "Deleting" });
    })
    .reconcile((context) => reconcilePlatform(context, knobs, pace));
  return defineOperator({ name: "identity", controllers: [realms, clients, platforms] });
}

function readyRealm(
  { metadata: { namespace, name }, spec }: Stored<Realm>,
  { hasUsersGroup }: IdentityKnobs,
): NonNullable<Realm["status"]> {
  const realm = namespace === name ? name : `${namespace}-${name}`;
  const isOfTenancy = (spec?.tenancyId ?? undefined) !== undefined;
  return {
    phase: "Ready",
    oidcIssuerUrl: `https://identity.example.com/realms/${realm}`,
    adminUrl: `https://identity.example.com/admin/${realm}/console`,
    ...(isOfTenancy && hasUsersGroup && { platformUsersGroup: "/platform-users" }),
  };
}

async function reconcileClient(
  { object, find, setStatus }: ObjectContext<OidcClient>,
  knobs: Knobs<IdentityKnobs>,
  pace: Pace,
): Promise<Wait | undefined> {
  const { namespace, name, generation } = object.metadata;
  const begun = { ...object.status, phase: phaseOfUnready(object) };
  const realm = await find(Realm, object.spec.realmName);
  if (realm?.status?.phase !== "Ready") return void (await setStatus(begun));
  const wait = pace.wait(object, `client ${generation}`, knobs.in(namespace).clientMs);
  await setStatus(
    wait === undefined
      ? {
          phase: "Ready",
          ...(realm.status.oidcIssuerUrl !== undefined && { issuerUrl: realm.status.oidcIssuerUrl }),
          clientId: object.spec.clientId ?? name,
        }
      : begun,
  );
  return wait;
}

async function reconcilePlatform(
  { object, find, setStatus }: ObjectContext<Platform>,
  knobs: Knobs<IdentityKnobs>,
  pace: Pace,
): Promise<Wait | undefined> {
  const { namespace, name, generation } = object.metadata;
  const begun = { ...object.status, phase: phaseOfUnready(object) };
  const realm = await find(Realm, object.spec.realmName);
  if (realm?.status?.phase !== "Ready") return void (await setStatus(begun));
  const wait = pace.wait(object, `platform ${generation}`, knobs.in(namespace).platformMs);
  const services = Object.keys(object.spec.zenithServices ?? {});
  await setStatus(
    wait === undefined
      ? {
          phase: "Ready",
          rootGroup: `/${name}`,
          zenithServiceSubgroups: Object.fromEntries(services.map((each) => [each, `/${name}/${each}`])),
        }
      : begun,
  );
  return wait;
}

/** One that was Ready before its spec changed is Updating. */
function phaseOfUnready({ status }: OidcClient | Platform): string {
  return status?.phase === "Ready" || status?.phase === "Updating" ? "Updating" : "Pending";
}
