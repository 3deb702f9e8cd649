import type { KubeObject, Resource } from "keelson";
import { ifServed } from "keelson/cache";
import { type NamespacedMeta, parseApiVersion } from "keelson/low-level";

/** Where users of a tenancy are known. The Azimuth API creates it, the identity operator fills in its status. */
export interface Realm extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly status?: {
    readonly phase?: string;
    /** That of its OIDC clients, too. */
    readonly oidcIssuerUrl?: string | null;
    /** Absent if the realm has no tenancy. */
    readonly platformUsersGroup?: string | null;
  };
}

/** The client by which users of a Cluster log in. */
export interface OidcClient extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly realmName: string;
    readonly public: boolean;
    readonly grantTypes: readonly ("AuthorizationCode" | "ClientCredentials" | "DeviceCode")[];
  };
  readonly status?: {
    readonly issuerUrl?: string | null;
    readonly clientId?: string | null;
  };
}

/** A Cluster or an app, as the identity operator knows it: who may use it and its services. */
export interface Platform extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly realmName: string;
    readonly zenithServices?: Readonly<Record<string, PlatformService>>;
  };
  readonly status?: {
    /** The group of those who may use it. */
    readonly rootGroup?: string | null;
  };
}

export interface PlatformService {
  readonly subdomain: string;
  readonly fqdn: string;
}

/** The kinds of the identity operator, which may be installed late or never. */
export interface IdentityKinds {
  readonly Realm: Resource<Realm>;
  readonly OidcClient: Resource<OidcClient>;
  readonly Platform: Resource<Platform>;
}

export function identityKinds(apiVersion: string): IdentityKinds {
  const api = { ...parseApiVersion(apiVersion), scope: "Namespaced" } as const;
  return {
    Realm: ifServed({ ...api, kind: "Realm", plural: "realms" }),
    OidcClient: ifServed({ ...api, kind: "OIDCClient", plural: "oidcclients" }),
    Platform: ifServed({ ...api, kind: "Platform", plural: "platforms" }),
  };
}
