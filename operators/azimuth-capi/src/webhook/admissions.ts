import {
  type Admission,
  type ApiUse,
  admission,
  type Client,
  cacheIndex,
  find,
  type KubeObject,
  metadataOnly,
  type ObjectKey,
  type Resource,
  type Stored,
  usesOf,
  type Validation,
} from "keelson";
import type { CachedIndex } from "keelson/cache";
import { Secret } from "keelson/kinds/core/v1";
import { dnsSubdomainProblem } from "keelson/low-level";
import type { Cluster } from "../api/cluster.ts";
import type { ClusterTemplate } from "../api/cluster-template.ts";
import type { ConfiguredNames } from "../api/configured-names.ts";
import type { Kinds } from "../kinds.ts";
import { parseVersion } from "../semver/version.ts";
import { type ClusterFacts, judgeCluster } from "./judge-cluster.ts";
import { clusterSpecProblems, schemaProblems, specReport } from "./spec-report.ts";

/** What the webhooks are made of. */
export interface AdmissionParts {
  readonly kinds: Pick<Kinds, "Cluster" | "ClusterTemplate">;
  readonly names: Pick<ConfiguredNames, "templateLabel">;
}

/** The parts of the operator that decide which Clusters and ClusterTemplates are stored and deleted. */
export interface AzimuthAdmissions {
  readonly webhooks: readonly Admission[];
  readonly indexes: readonly CachedIndex[];
  readonly uses: readonly ApiUse[];
}

/** Only the existence of a Secret counts: its data stays on the server. */
const SecretMetadata = metadataOnly(Secret);

/** The index of Clusters by the ClusterTemplate that they use. */
export const templateIndex = "template";

/**
 * Other changes do not depend on the webhooks: finalizers, labels and annotations change also while no operator runs, and
 * whatever has become of the Secret or the template in the meantime.
 */
const specChanges = {
  name: "changes-the-spec",
  expression: "request.operation != 'UPDATE' || object.spec != oldObject.spec",
};

/** The webhooks of Clusters and ClusterTemplates, at the paths of the original. */
export function azimuthAdmissions({ kinds, names }: AdmissionParts): AzimuthAdmissions {
  const { Cluster: ClusterKind, ClusterTemplate: TemplateKind } = kinds;
  const { group } = ClusterKind;
  const settings = { duringDeletion: "SkipUpdates", matchConditions: [specChanges] } as const;
  const clusters = admission(ClusterKind, {
    ...settings,
    name: `cluster.webhook.${group}`,
    paths: { validate: "/validate-cluster" },
  }).validate((call) => validateCluster(call, kinds));
  const templates = admission(TemplateKind, {
    ...settings,
    name: `cluster-template.webhook.${group}`,
    paths: { validate: "/validate-cluster-template" },
  })
    .validate((call) => validateTemplate(call, kinds))
    .validate((call) => validateDeletion(call, kinds), { operations: ["DELETE"] });
  return {
    webhooks: [clusters, templates],
    // The label shows the template that is installed, and the spec the one that will be.
    indexes: [
      cacheIndex(ClusterKind, templateIndex, ({ metadata, spec }) => {
        const installed = metadata.labels?.[names.templateLabel];
        return [...new Set([spec.templateName, ...(installed === undefined ? [] : [installed])])];
      }),
    ],
    uses: [
      ...usesOf(ClusterKind, ["get", "list", "watch"]),
      ...usesOf(TemplateKind, ["get"]),
      ...usesOf(Secret, ["get"]),
    ],
  };
}

type Call<T extends KubeObject> = Pick<
  Validation<T>,
  "object" | "request" | "client" | "liveClient" | "deny" | "warn"
>;

const badRequest = { reason: "BadRequest" } as const;

async function validateCluster(call: Call<Cluster>, kinds: AdmissionParts["kinds"]): Promise<void> {
  const refusal = judgeCluster(await factsOf(call, kinds));
  if (refusal !== undefined) call.deny(refusal, badRequest);
}

/** Reads from the server: the Azimuth API creates a Cluster right after its Secret. */
async function factsOf(
  { object: { spec }, request, liveClient }: Call<Cluster>,
  kinds: AdmissionParts["kinds"],
): Promise<ClusterFacts> {
  const problems = clusterSpecProblems(kinds.Cluster.schemas.spec, spec);
  if (problems.length > 0) return { problems };
  const { templateName, cloudCredentialsSecretName } = spec;
  // The server has not chosen the name yet if there is none.
  const { namespace = "", name = "" } = request;
  const [secret, template, stored] = await Promise.all([
    findIfValid(liveClient, SecretMetadata, { namespace, name: cloudCredentialsSecretName }),
    findIfValid(liveClient, kinds.ClusterTemplate, { name: templateName }),
    name === "" ? undefined : find(liveClient, kinds.Cluster, { namespace, name }),
  ]);
  const current =
    stored && (await find(liveClient, kinds.ClusterTemplate, { name: stored.spec.templateName }));
  return {
    templateName,
    template: template?.spec,
    hasCredentials: secret !== undefined,
    stored: stored && { spec: stored.spec, status: stored.status ?? {}, template: current?.spec },
  };
}

/** Users write the names: what cannot be the name of an object is that of none. */
async function findIfValid<T extends KubeObject>(
  client: Client,
  kind: Resource<T>,
  key: ObjectKey,
): Promise<Stored<T> | undefined> {
  return dnsSubdomainProblem(key.name) === undefined ? find(client, kind, key) : undefined;
}

function validateTemplate(
  { object: { spec }, deny, warn }: Call<ClusterTemplate>,
  kinds: AdmissionParts["kinds"],
): void {
  const problems = schemaProblems(kinds.ClusterTemplate.schemas.spec, spec);
  if (problems.length > 0) deny(specReport("ClusterTemplateSpec", problems), badRequest);
  const { kubernetesVersion } = spec.values;
  if (parseVersion(kubernetesVersion) === undefined)
    warn(
      `values.kubernetesVersion is not a SemVer version, so no Cluster can be upgraded to it: ${kubernetesVersion}`,
    );
}

async function validateDeletion(
  { request: { name }, client, deny }: Call<ClusterTemplate>,
  kinds: AdmissionParts["kinds"],
): Promise<void> {
  const { items } = await client.list(kinds.Cluster, { fieldSelector: `${templateIndex}=${name}` });
  if (items.length > 0) deny("template is in use by at least one cluster", badRequest);
}
