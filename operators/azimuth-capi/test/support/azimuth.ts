import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Cluster,
  type RunOperatorOptions,
  Space,
  startCluster,
  startWorld,
  type World,
} from "@keelson/testkit";
import {
  type Client,
  formatKey,
  type GenericObject,
  type ObjectKey,
  type Stored,
  systemClock,
} from "keelson";
import { accessFromKubeconfig, createClient, httpTransport } from "keelson/client";
import { genericResource, systemRandom } from "keelson/low-level";
import { prettyLogger } from "keelson/telemetry";
import { chartFolders, LocalHelm } from "../../testing/charts.ts";
import {
  type NeighbourName,
  type Neighbours,
  settingsFor,
  startNeighbours,
} from "../../testing/environment.ts";
import { helmBinary } from "../../testing/helm-binaries.ts";
import type { ClusterChoice } from "../../testing/neighbours/azimuth-api.ts";
import { type RecordedHelm, recordHelm } from "../../testing/recorded-helm.ts";

export interface AzimuthOptions {
  /** Whether every Cluster has a tenant API server of its own, which then is an embedded one. Default: they share one. */
  readonly tenants?: "shared" | "each";
  /** Neighbours that do not run, and whose kinds are not served. */
  readonly without?: readonly NeighbourName[];
  /** Default: 4. */
  readonly helmMajor?: 3 | 4;
}

/** A tenant cluster, with the client of an administrator. */
interface Tenant {
  readonly cluster: Cluster;
  readonly client: Client;
}

/** A management cluster with all neighbours of the operator, but without the operator. */
export interface Azimuth extends AsyncDisposable {
  readonly world: World;
  /** The administrator's, of the management cluster. */
  readonly client: Client;
  readonly neighbours: Neighbours;
  readonly helm: RecordedHelm;
  readonly charts: typeof chartFolders;
  /** For an operator that works with these neighbours; its parts can be replaced. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** For `world.runOperator`: the settings, and frequent looks for kinds that come late. */
  readonly operatorOptions: Omit<RunOperatorOptions, "access">;
  /** The API server of a Cluster: the one of all of them, unless each has its own. */
  tenantOf(cluster: ObjectKey): Promise<Tenant>;
  /** A namespace for one test, with the Realm of a tenancy. */
  newTenancy(options?: { readonly hasRealm?: boolean }): Promise<Tenancy>;
  /** One that is made already, with or without a Realm. */
  tenancyIn(namespace: string): Tenancy;
  /** Creates or replaces a ClusterTemplate; the operator has to be there. */
  createTemplate(name: string, values: Readonly<Record<string, unknown>>): Promise<void>;
  stop(): Promise<void>;
}

const ClusterTemplate = genericResource({
  group: "azimuth.stackhpc.com",
  version: "v1alpha1",
  kind: "ClusterTemplate",
  plural: "clustertemplates",
  scope: "Cluster",
});

/** Starts everything that the operator needs. When it is disposed of, nothing is left. */
export async function startAzimuth(
  level: string | undefined,
  { tenants: sharing = "shared", without = [], helmMajor = 4 }: AzimuthOptions = {},
): Promise<Azimuth> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "keelson-azimuth-"));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { path } = await helmBinary(helmMajor);
  const helm = await recordHelm(path, folder);
  const localHelm = new LocalHelm(path, folder);
  const tenants = stack.use(new Tenants(sharing === "each" ? "embedded" : level, sharing));
  const world = stack.use(await startWorld(level));
  const neighbours = stack.use(
    await startNeighbours({
      ...{ client: world.client, tenants, folder, without, helm: localHelm },
      ...{ clock: systemClock, random: systemRandom, log: warnings() },
    }),
  );
  const settings = settingsFor(neighbours, helm);
  const tenancyIn = (namespace: string): Tenancy =>
    new Tenancy(world, namespace, { neighbours, helm: localHelm });
  const owned = stack.move();
  return {
    ...{ world, client: world.client, neighbours, helm, charts: chartFolders, settings },
    operatorOptions: { settings, servedCheckMs: 100 },
    tenantOf: (cluster) => tenants.of(cluster),
    tenancyIn,
    newTenancy: async (options) => {
      const tenancy = tenancyIn(await world.createNamespace());
      await neighbours.api.createTenancy(tenancy.namespace, options);
      return tenancy;
    },
    createTemplate: async (name, values) => {
      const spec = { label: name, description: `The template ${name}`, values };
      const template = { apiVersion: "azimuth.stackhpc.com/v1alpha1", kind: "ClusterTemplate" };
      await world.client.apply(
        ClusterTemplate,
        { ...template, metadata: { name }, spec },
        { fieldOwner: "test", force: true },
      );
    },
    stop: () => owned.disposeAsync(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function warnings(): ReturnType<typeof prettyLogger> {
  // biome-ignore lint/suspicious/noConsole: where tests show what went wrong
  return prettyLogger({ write: (line) => console.warn(line), clock: systemClock, level: "warn" });
}

/** A namespace for one test, and what users do in it. */
export class Tenancy extends Space {
  readonly neighbours: Neighbours;
  readonly #helm: LocalHelm;

  constructor(
    world: World,
    namespace: string,
    { neighbours, helm }: { readonly neighbours: Neighbours; readonly helm: LocalHelm },
  ) {
    super(world, namespace);
    this.neighbours = neighbours;
    this.#helm = helm;
  }

  key(name: string): ObjectKey & { readonly namespace: string } {
    return { namespace: this.namespace, name };
  }

  /** Runs Helm as an administrator, past the operator; `values` are its standard input. */
  helm(args: readonly string[], values: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const access = ["--kubeconfig", this.world.cluster.kubeconfigPath, "--namespace", this.namespace];
    return this.#helm.run([...args, ...access], JSON.stringify(values));
  }

  /** As the API of Azimuth does it: credentials, Cluster, then Lease. */
  newCluster(choice: Omit<ClusterChoice, "namespace">): Promise<Stored<GenericObject>> {
    return this.neighbours.api.createCluster({ ...choice, namespace: this.namespace });
  }

  /** A null removes a field. */
  patchCluster(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
    return this.neighbours.api.patchCluster(this.key(name), spec);
  }

  deleteCluster(name: string): Promise<void> {
    return this.neighbours.api.deleteCluster(this.key(name));
  }

  /** The state that the web page shows; undefined once the Cluster is deleted. */
  async stateOf(name: string): Promise<string | undefined> {
    return (await this.neighbours.api.showCluster(this.key(name)))?.state;
  }
}

/** The tenant clusters, which are started when they are first needed. */
class Tenants implements AsyncDisposable {
  readonly #level: string | undefined;
  readonly #sharing: "shared" | "each";
  readonly #stack = new AsyncDisposableStack();
  readonly #started = new Map<string, Promise<Tenant>>();
  #users = 0;

  constructor(level: string | undefined, sharing: "shared" | "each") {
    this.#level = level;
    this.#sharing = sharing;
  }

  of(cluster: ObjectKey): Promise<Tenant> {
    const key = this.#sharing === "shared" ? "" : formatKey(cluster);
    const tenant = this.#started.get(key) ?? this.#start();
    this.#started.set(key, tenant);
    return tenant;
  }

  async issueKubeconfig(cluster: ObjectKey): Promise<Tenant["cluster"]["kubeconfig"]> {
    const tenant = await this.of(cluster);
    this.#users += 1;
    const user = `admin-${this.#users}`;
    return (await tenant.cluster.createUser({ user, groups: ["system:masters"] })).kubeconfig;
  }

  async #start(): Promise<Tenant> {
    const cluster = this.#stack.use(await startCluster(this.#level));
    const transport = httpTransport(
      accessFromKubeconfig(cluster.kubeconfig, { clock: systemClock, env: {} }),
    );
    this.#stack.defer(() => transport.close());
    return { cluster, client: createClient({ transport }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#started.values());
    await this.#stack.disposeAsync();
  }
}
