import {
  AlreadyExistsError,
  type Client,
  deepEqual,
  find,
  type GenericObject,
  mergePatch,
  type ObjectKey,
  type Stored,
} from "keelson";
import { Namespace, Secret } from "keelson/kinds/core/v1";
import { genericResource, isRecord } from "keelson/low-level";
import { stringify } from "yaml";
import { Realm } from "./identity.ts";
import { ownedBy } from "./objects.ts";
import { flavorId, Lease } from "./scheduling.ts";

const Cluster = genericResource({
  group: "azimuth.stackhpc.com",
  version: "v1alpha1",
  kind: "Cluster",
  plural: "clusters",
  scope: "Namespaced",
});

const labels = { "app.kubernetes.io/managed-by": "azimuth" };
const fieldOwner = "azimuth";

interface NodeGroupChoice {
  readonly name: string;
  readonly machineSize: string;
  readonly count?: number;
  readonly minCount?: number;
  readonly maxCount?: number;
}

/** What a user of Azimuth chooses. */
export interface ClusterChoice {
  readonly namespace: string;
  readonly name: string;
  readonly template: string;
  /** Default: `control`. */
  readonly controlPlaneSize?: string;
  /** A group with a least count is autoscaled. Default: two machines `workers` of size `small`. */
  readonly nodeGroups?: readonly NodeGroupChoice[];
  readonly addons?: Readonly<Record<string, unknown>>;
  /** Further fields of the spec, such as `paused`. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Whether there are Leases: `later` leaves it to `createLease`. Default: yes. */
  readonly lease?: boolean | "later";
  readonly endsAt?: Date;
  /** In seconds. */
  readonly gracePeriod?: number;
}

/** A Cluster as the web page of Azimuth shows it. */
export interface ShownCluster {
  readonly state: string;
  readonly services: readonly string[];
}

/** The API of Azimuth: what users do. */
export class AzimuthApi {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Makes the namespace of a tenancy, unless it exists, with its Realm. */
  async createTenancy(
    namespace: string,
    { hasRealm = true }: { readonly hasRealm?: boolean } = {},
  ): Promise<void> {
    await this.#client
      .create(Namespace, { metadata: { name: namespace } }, { fieldOwner })
      .catch(unlessExists);
    if (!hasRealm) return;
    const realm = { metadata: { namespace, name: namespace }, spec: { tenancyId: `tenancy-${namespace}` } };
    await this.#client.create(Realm, realm, { fieldOwner }).catch(unlessExists);
  }

  /** Writes the credentials, the Cluster and then its Lease. */
  async createCluster(choice: ClusterChoice): Promise<Stored<GenericObject>> {
    const { namespace, name, lease = true } = choice;
    await this.#client.create(Secret, credentials(namespace, name), { fieldOwner });
    const cluster = await this.#client.create(
      Cluster,
      {
        metadata: { namespace, name, labels },
        spec: { ...specOf(choice), ...(lease !== false && { leaseName: `kube-${name}` }), ...choice.spec },
      },
      { fieldOwner },
    );
    if (lease === true) await this.createLease(choice, cluster);
    return cluster;
  }

  /** The Lease of a Cluster that was created without it. */
  async createLease(choice: ClusterChoice, owner?: Stored<GenericObject>): Promise<void> {
    const { namespace, name, controlPlaneSize = "control", endsAt, gracePeriod } = choice;
    const cluster = owner ?? (await this.#client.get(Cluster, { namespace, name }));
    const sizes = [controlPlaneSize, ...groupsOf(choice).map(({ machineSize }) => machineSize)];
    const metadata = {
      ...{ namespace, name: `kube-${name}`, labels },
      ownerReferences: [ownedBy(cluster, Cluster, { controller: false })],
    };
    const spec = {
      cloudCredentialsSecretName: `${name}-cloud-credentials`,
      ...(endsAt !== undefined && { endsAt: endsAt.toISOString() }),
      ...(gracePeriod !== undefined && { gracePeriod }),
      resources: { machines: [...new Set(sizes)].map((size) => ({ sizeId: flavorId(size), count: 3 })) },
    };
    await this.#client.create(Lease, { metadata, spec }, { fieldOwner });
  }

  /** Patches the spec; a null removes a field. */
  async patchCluster(key: ObjectKey, spec: Readonly<Record<string, unknown>>): Promise<void> {
    const audit = { updatedByUsername: "jane", updatedByUserId: "user-1" };
    await this.#client.patch(Cluster, key, mergePatch({ spec: { ...spec, ...audit } }), { fieldOwner });
  }

  async deleteCluster(key: ObjectKey): Promise<void> {
    await this.#client.delete(Cluster, key, { propagationPolicy: "Foreground" });
  }

  /** What the web page shows; undefined once the Cluster is deleted. */
  async showCluster(key: ObjectKey): Promise<ShownCluster | undefined> {
    const cluster = await find(this.#client, Cluster, key);
    if (cluster === undefined) return undefined;
    const services =
      isRecord(cluster.status) && isRecord(cluster.status.services) ? cluster.status.services : {};
    return { state: stateOf(cluster), services: Object.keys(services) };
  }

  /** The kubeconfig that a user may download; undefined as long as there is none. */
  async kubeconfig(key: ObjectKey): Promise<string | undefined> {
    const { status } = await this.#client.get(Cluster, key);
    const name = isRecord(status) ? status.kubeconfigSecretName : undefined;
    if (typeof name !== "string") return undefined;
    const secret = await find(this.#client, Secret, { ...key, name });
    const value = secret?.data?.value;
    return value === undefined ? undefined : Buffer.from(value, "base64").toString();
  }
}

function credentials(namespace: string, name: string): Secret {
  const auth = { auth_url: "https://cloud.example.com", project_id: `project-of-${namespace}` };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name: `${name}-cloud-credentials`, labels },
    stringData: { "clouds.yaml": stringify({ clouds: { openstack: { auth, region_name: "one" } } }) },
  };
}

function groupsOf({ nodeGroups }: ClusterChoice): readonly NodeGroupChoice[] {
  return nodeGroups ?? [{ name: "workers", machineSize: "small", count: 2 }];
}

/** As the API writes it, nulls included. */
function specOf(choice: ClusterChoice): Readonly<Record<string, unknown>> {
  const { name, template, controlPlaneSize = "control", addons = {} } = choice;
  return {
    label: name,
    templateName: template,
    cloudCredentialsSecretName: `${name}-cloud-credentials`,
    autohealing: true,
    controlPlaneMachineSize: controlPlaneSize,
    nodeGroups: groupsOf(choice).map((group) => ({
      ...{ name: group.name, machineSize: group.machineSize },
      autoscale: group.minCount !== undefined,
      count: group.count ?? null,
      minCount: group.minCount ?? null,
      maxCount: group.maxCount ?? null,
    })),
    addons: { dashboard: false, ingress: false, ingressControllerLoadBalancerIp: null, ...addons },
    createdByUsername: "john",
    createdByUserId: "user-2",
  };
}

/** The API accounts for a change that the operator has not handled yet. */
function stateOf({ metadata, spec, status }: Stored<GenericObject>): string {
  const phase = isRecord(status) && typeof status.phase === "string" ? status.phase : undefined;
  if (metadata.deletionTimestamp !== undefined) return "Deleting";
  if (phase === undefined) return "Reconciling";
  if (phase === "Unhealthy") return phase;
  const text = metadata.annotations?.["azimuth.stackhpc.com/last-handled-configuration"];
  const handled: unknown = text === undefined ? undefined : JSON.parse(text);
  const last = isRecord(handled) && isRecord(handled.spec) ? handled.spec : {};
  if (last.templateName === undefined) return "Reconciling";
  if (isRecord(spec) && spec.templateName !== last.templateName) return "Upgrading";
  return deepEqual(spec, last) ? phase : "Reconciling";
}

function unlessExists(error: unknown): void {
  if (!(error instanceof AlreadyExistsError)) throw error;
}
