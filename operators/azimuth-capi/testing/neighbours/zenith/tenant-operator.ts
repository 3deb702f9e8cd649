import { generateKeyPairSync } from "node:crypto";
import {
  type Client,
  controller,
  defineOperator,
  type KubeObject,
  type ObjectContext,
  type Operator,
  type ReconcileResult,
  type Resource,
} from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { isRecord, type NamespacedMeta } from "keelson/low-level";
import type { Pace } from "../../knobs.ts";

export interface Reservation extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: {
    readonly credentialSecretName: string;
    readonly credentialSecretPublicKeyName?: string;
    readonly credentialSecretPrivateKeyName?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly subdomain?: string;
    readonly fqdn?: string;
    readonly fingerprint?: string;
  };
}

export interface ZenithClient extends KubeObject {
  readonly metadata: NamespacedMeta;
  readonly spec: { readonly reservationName: string };
  readonly status?: { readonly phase?: string };
}

const api = { group: "zenith.stackhpc.com", version: "v1alpha1", scope: "Namespaced" } as const;
export const Reservation: Resource<Reservation> = { ...api, kind: "Reservation", plural: "reservations" };
export const ZenithClient: Resource<ZenithClient> = { ...api, kind: "Client", plural: "clients" };

const retry = { requeueAfterMs: 200 };

export interface TenantZenithParts {
  readonly pace: Pace;
  /** The configuration that the operator was installed with. */
  readonly registrarAdminUrl: string;
  /** How long a Reservation is Pending at this time. */
  readonly reservationMs: () => number;
}

/** What the Zenith operator does in one tenant cluster. */
export function tenantZenith({ pace, registrarAdminUrl, reservationMs }: TenantZenithParts): Operator {
  const reservations = controller(Reservation)
    .owns(Secret)
    .reconcile(async (context) => {
      const { object, setStatus } = context;
      const { phase } = object.status ?? {};
      if (phase === "Ready" || phase === "Failed") return undefined;
      await setStatus({ phase: "Pending" });
      const wait = pace.wait(object, "reserve", reservationMs());
      return wait ?? reserve(context, registrarAdminUrl);
    });
  const clients = controller(ZenithClient)
    .watches(Reservation, async ({ metadata: { namespace, name } }, { client }) =>
      clientsOf(client, namespace, name),
    )
    .reconcile(async ({ object, find, setStatus }) => {
      const reservation = await find(Reservation, object.spec.reservationName);
      if (reservation?.status?.phase !== "Ready") return void (await setStatus({ phase: "Pending" }));
      if (object.status?.phase !== "Available") await setStatus({ phase: "ReservationReady" });
      await setStatus({ phase: "Available" });
    });
  return defineOperator({ name: "zenith-tenant", controllers: [reservations, clients] });
}

async function clientsOf(
  client: Client,
  namespace: string | undefined,
  reservation: string,
): Promise<readonly { readonly namespace?: string; readonly name: string }[]> {
  const selection = namespace === undefined ? {} : { namespace };
  const { items } = await client.list(ZenithClient, selection);
  return items
    .filter(({ spec }) => spec.reservationName === reservation)
    .map(({ metadata: { name } }) => ({ ...selection, name }));
}

async function reserve(
  { object, createOnce, setStatus, log }: ObjectContext<Reservation>,
  registrarAdminUrl: string,
): Promise<ReconcileResult> {
  const {
    credentialSecretName: name,
    credentialSecretPublicKeyName: publicName = "ssh-publickey",
    credentialSecretPrivateKeyName: privateName = "ssh-privatekey",
  } = object.spec;
  const secret = await createOnce(Secret, { metadata: { name } }, () => {
    const { publicKey, privateKey } = makeKeys();
    return { data: { [publicName]: base64(publicKey), [privateName]: base64(privateKey) } };
  });
  const publicKey = Buffer.from(secret.data?.[publicName] ?? "", "base64").toString();
  const reserved: unknown = await fetch(new URL("/admin/reserve", registrarAdminUrl), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ public_keys: [publicKey] }),
  }).then(
    (response) => (response.ok ? response.json() : undefined),
    () => undefined,
  );
  if (!isRecord(reserved)) {
    log.debug("the registrar has reserved nothing", { registrarAdminUrl });
    return retry;
  }
  const { subdomain, fqdn, fingerprint } = reserved;
  await setStatus({
    phase: "Ready",
    subdomain: String(subdomain),
    fqdn: String(fqdn),
    fingerprint: String(fingerprint),
  });
  return undefined;
}

/** A public key as OpenSSH writes it. The private key is never read. */
function makeKeys(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  const type = "ssh-ed25519";
  const parts = [Buffer.from(type), Buffer.from(x, "base64url")];
  const framed = parts.flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return {
    publicKey: `${type} ${Buffer.concat(framed).toString("base64")}`,
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
