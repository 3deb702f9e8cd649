import { AlreadyExistsError, find } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { toError } from "keelson/low-level";
import type { ClusterSpec, ServiceStatus } from "../api/cluster.ts";
import { namesOf } from "../api/names.ts";
import { Reason } from "../api/reasons.ts";
import { HelmError } from "../helm/errors.ts";
import type { Values } from "../helm/helm.ts";
import { type EnabledZenith, enabledZenith } from "../settings.ts";
import { clusterValues } from "../values/cluster-values.ts";
import { apiServerChartValues, zenithValues } from "../zenith/apiserver-values.ts";
import { RegistrarError } from "../zenith/registrar.ts";
import { ensureIdentity, requireRealm } from "./identity.ts";
import { adoptLease, requireActive } from "./lease.ts";
import { NotReadyError } from "./not-ready-error.ts";
import type { Surroundings } from "./observe.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";
import { ensureZenithOperator } from "./zenith-operator.ts";
import { ensureReservation } from "./zenith-secret.ts";

/** What became of the attempt to bring the spec of a Cluster into force. */
export type Provisioning =
  | { readonly type: "done" }
  | { readonly type: "waiting"; readonly reason: Reason; readonly message: string; readonly retryMs: number }
  | { readonly type: "failed"; readonly reason: Reason; readonly message: string; readonly error: Error };

/** What provisioning depends on beside the Cluster. */
export interface ProvisioningFacts {
  readonly spec: ClusterSpec;
  readonly surroundings: Surroundings;
  readonly services: Readonly<Record<string, ServiceStatus>>;
}

/**
 * Hands the spec of a Cluster over to Cluster API by its Helm release, after everything that it needs is ready. Each step may
 * be repeated: a later attempt begins with the first one.
 */
export async function provision(
  context: ClusterContext,
  parts: ClusterParts,
  facts: ProvisioningFacts,
): Promise<Provisioning> {
  try {
    await install(context, parts, facts);
    return { type: "done" };
  } catch (caught) {
    const error = toError(caught);
    // The operator stops; another one goes on.
    if (context.signal.aborted) throw error;
    const { message } = error;
    if (error instanceof NotReadyError)
      return { type: "waiting", reason: error.reason, message, retryMs: error.retryMs };
    const reason =
      error instanceof HelmError
        ? Reason.HelmFailed
        : error instanceof RegistrarError
          ? Reason.RegistrarFailed
          : Reason.Retrying;
    return { type: "failed", reason, message, error };
  }
}

async function install(
  context: ClusterContext,
  parts: ClusterParts,
  { spec, surroundings, services }: ProvisioningFacts,
): Promise<void> {
  const { settings, helm } = parts;
  const { namespace, name } = context.object.metadata;
  const template = await requireTemplate(context, parts, spec.templateName);
  const cloudsYaml = await requireCredentials(context, spec);
  await ensureEtcdKey(context, parts);
  const { realm, lease } = surroundings;
  const oidc = settings.identity.oidcEnabled
    ? await ensureIdentity(context, parts, requireRealm(realm, spec.zenithIdentityRealmName), services)
    : undefined;
  if (lease !== undefined) await adoptLease(context, parts, lease);
  const sizeNameMap = spec.leaseName === undefined ? undefined : requireActive(lease, spec.leaseName);
  const zenith = enabledZenith(settings);
  const values = clusterValues({
    ...{ settings, spec, oidc, sizeNameMap },
    template: template.spec,
    zenith: zenith && (await valuesOfZenith(context, parts, zenith, spec)),
  });
  const { chartName, chartRepository: repository, chartVersion: version } = settings.capiHelm;
  const chart = { name: chartName, repository, version };
  const result = await helm.ensureRelease({ namespace, name }, chart, values, context.signal);
  if (result !== "unchanged")
    context.event("Normal", `Release${capitalized(result)}`, `Helm release ${name} is ${result}`);
  if (zenith !== undefined) await ensureZenithOperator(context, parts, zenith, cloudsYaml);
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

async function requireTemplate({ find: read }: ClusterContext, { kinds }: ClusterParts, name: string) {
  const template = await read(kinds.ClusterTemplate, { name });
  if (template !== undefined) return template;
  const message = `specified template does not exist: ClusterTemplate '${name}'`;
  throw new NotReadyError(Reason.TemplateNotFound, message, { isAbsent: true });
}

/** The clouds.yaml of the tenant. */
async function requireCredentials(
  { liveClient, object }: ClusterContext,
  { cloudCredentialsSecretName: name }: ClusterSpec,
): Promise<string> {
  const { namespace } = object.metadata;
  const secret = await find(liveClient, Secret, { namespace, name });
  if (secret === undefined)
    throw new NotReadyError(
      Reason.CredentialsNotFound,
      `specified cloud credentials secret does not exist: Secret '${name}'`,
      { isAbsent: true },
    );
  return Buffer.from(secret.data?.["clouds.yaml"] ?? "", "base64").toString();
}

const etcdKeyBytes = 32;

/** The key that the chart encrypts the Secrets of a cluster with. It is made once, and deleted with the Cluster alone. */
async function ensureEtcdKey(
  { liveClient, object }: ClusterContext,
  { randomBytes, settings }: ClusterParts,
): Promise<void> {
  const { namespace, name } = object.metadata;
  const key = { namespace, name: namesOf(name).etcdKeySecret };
  if ((await find(liveClient, Secret, key)) !== undefined) return;
  const data = { key: Buffer.from(randomBytes(etcdKeyBytes)).toString("base64") };
  try {
    const fieldOwner = settings.easykubeFieldManager;
    await liveClient.create(Secret, { metadata: key, data }, { fieldOwner });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}

/** The values that let the API server of a cluster be reached through Zenith. */
async function valuesOfZenith(
  context: ClusterContext,
  parts: ClusterParts,
  zenith: EnabledZenith,
  { addons: { monitoring } }: ClusterSpec,
): Promise<Values> {
  const { fqdn, privateKey } = await ensureReservation(context, parts, zenith);
  const { apiserverChartName: name, chartRepository: repository, chartVersion: version } = zenith;
  const rendered = await parts.helm.template(
    { namespace: "kube-system", name: "zenith-apiserver" },
    { name, repository, version },
    apiServerChartValues(zenith, privateKey),
    context.signal,
  );
  return zenithValues({ zenith, fqdn, rendered, monitoring });
}
