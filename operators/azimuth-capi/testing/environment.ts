import type { Client, Clock, Logger, ObjectKey, Operator, Random } from "keelson";
import { type ChartRepository, chartFolders, type LocalHelm, startChartRepository } from "./charts.ts";
import { applyCrds, type CrdFile } from "./crds.ts";
import { Knobs, Pace } from "./knobs.ts";
import { type AddonKnobs, addonDefaults, addonProvider } from "./neighbours/addon-provider.ts";
import { AzimuthApi } from "./neighbours/azimuth-api.ts";
import { type ClusterApiKnobs, clusterApiDefaults } from "./neighbours/cluster-api/knobs.ts";
import { clusterApiOperator, TenantKubeconfigs } from "./neighbours/cluster-api.ts";
import { type FluxKnobs, fluxDefaults, fluxOperator } from "./neighbours/flux.ts";
import { type IdentityKnobs, identityDefaults, identityOperator } from "./neighbours/identity.ts";
import { type Registrar, startRegistrar } from "./neighbours/registrar.ts";
import { type SchedulingKnobs, schedulingDefaults, schedulingOperator } from "./neighbours/scheduling.ts";
import { startZenith, type ZenithKnobs, zenithDefaults } from "./neighbours/zenith.ts";
import { type NeighbourDependencies, type RunningNeighbour, runNeighbour } from "./run-neighbour.ts";
import { TenantClients, type TenantProvider } from "./tenants.ts";

export type NeighbourName = "identity" | "scheduling" | "cluster-api" | "addon-provider" | "zenith" | "flux";

const names: readonly NeighbourName[] = [
  "identity",
  "scheduling",
  "cluster-api",
  "addon-provider",
  "zenith",
  "flux",
];

/** The kinds that a neighbour brings to the management cluster. Zenith's are in tenant clusters alone. */
const crdFiles: Readonly<Record<NeighbourName, CrdFile | undefined>> = {
  identity: "identity",
  scheduling: "scheduling",
  "cluster-api": "cluster-api",
  "addon-provider": "addons",
  zenith: undefined,
  flux: "flux",
};

export interface NeighboursOptions {
  /** Of an administrator of the management cluster. */
  readonly client: Client;
  readonly tenants: TenantProvider;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** For apps, whose charts are rendered. */
  readonly helm: LocalHelm;
  /** For files; it exists, and is deleted by its owner. */
  readonly folder: string;
  /** The port of the registrar, if it is free. Default: any. */
  readonly registrarPort?: number | undefined;
  /** Neighbours that are not started, and whose kinds are not served. Default: all are. */
  readonly without?: readonly NeighbourName[];
}

/** What an operator works with, simulated: neighbours that can be steered, stopped and started again. */
export class Neighbours implements AsyncDisposable {
  readonly identity: Knobs<IdentityKnobs> = new Knobs(identityDefaults);
  readonly scheduling: Knobs<SchedulingKnobs> = new Knobs(schedulingDefaults);
  readonly clusterApi: Knobs<ClusterApiKnobs> = new Knobs(clusterApiDefaults);
  readonly addons: Knobs<AddonKnobs> = new Knobs(addonDefaults);
  readonly zenith: Knobs<ZenithKnobs> = new Knobs(zenithDefaults);
  readonly flux: Knobs<FluxKnobs> = new Knobs(fluxDefaults);
  readonly api: AzimuthApi;
  readonly registrar: Registrar;
  readonly #options: NeighboursOptions;
  readonly #pace: Pace;
  readonly #tenants: TenantClients;
  readonly #kubeconfigs: TenantKubeconfigs;
  readonly #running = new Map<NeighbourName, RunningNeighbour>();
  #repository: Promise<ChartRepository> | undefined;

  constructor(options: NeighboursOptions, registrar: Registrar) {
    const { client, clock, tenants } = options;
    this.#options = options;
    this.registrar = registrar;
    this.api = new AzimuthApi(client);
    this.#pace = new Pace(clock);
    this.#tenants = new TenantClients(clock);
    this.#kubeconfigs = new TenantKubeconfigs(tenants);
  }

  /** Installs the kinds of a neighbour, and runs it unless it runs. */
  async start(name: NeighbourName): Promise<void> {
    if (this.#running.has(name)) return;
    const file = crdFiles[name];
    if (file !== undefined) await applyCrds(this.#options.client, file);
    this.#running.set(name, await this.#run(name));
  }

  /** Ends a neighbour; its kinds and objects stay. */
  async stop(name: NeighbourName): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    await running?.[Symbol.asyncDispose]();
  }

  /** Has Cluster API write another kubeconfig. The credentials in the old one stay valid. */
  rotateKubeconfig(cluster: ObjectKey): void {
    this.#kubeconfigs.forget(cluster);
    this.clusterApi.touch(cluster.namespace);
  }

  /** A repository with the charts of apps. It is started by the first call. */
  async chartRepository(): Promise<ChartRepository> {
    const { helm, folder } = this.#options;
    this.#repository ??= startChartRepository(helm, folder);
    return this.#repository;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // No write is under way any more when the clients are closed.
    await Promise.all([...this.#running.keys()].map((name) => this.stop(name)));
    await (await this.#repository)?.[Symbol.asyncDispose]();
    await this.registrar[Symbol.asyncDispose]();
    await this.#tenants[Symbol.asyncDispose]();
  }

  async #run(name: NeighbourName): Promise<RunningNeighbour> {
    const { client, clock, random, log } = this.#options;
    const dependencies: NeighbourDependencies = { client, clock, random, log };
    const pace = this.#pace;
    if (name === "zenith")
      return startZenith({ ...dependencies, pace, knobs: this.zenith, tenants: this.#tenants });
    return runNeighbour(this.#operator(name), dependencies);
  }

  #operator(name: Exclude<NeighbourName, "zenith">): Operator {
    const pace = this.#pace;
    const { random, helm } = this.#options;
    switch (name) {
      case "identity":
        return identityOperator(this.identity, pace);
      case "scheduling":
        return schedulingOperator(this.scheduling, pace);
      case "cluster-api":
        return clusterApiOperator({ pace, random, knobs: this.clusterApi, kubeconfigs: this.#kubeconfigs });
      case "addon-provider":
        return addonProvider({
          ...{ pace, knobs: this.addons, tenants: this.#tenants },
          renderChart: async (request) => {
            const known = (await this.#repository)?.url;
            return request.repo === known ? helm.template(request) : undefined;
          },
        });
      case "flux":
        return fluxOperator(this.flux, pace);
    }
  }
}

/** Starts all neighbours. Leaves nothing running if it rejects. */
export async function startNeighbours(options: NeighboursOptions): Promise<Neighbours> {
  const neighbours = new Neighbours(options, await startRegistrar(options));
  try {
    const started = names.filter((name) => options.without?.includes(name) !== true);
    await Promise.all(started.map((name) => neighbours.start(name)));
    return neighbours;
  } catch (error) {
    await neighbours[Symbol.asyncDispose]();
    throw error;
  }
}

/** The settings of an operator that works with these neighbours. */
export function settingsFor(
  { registrar }: Neighbours,
  helm: { readonly executable: string },
): Readonly<Record<string, unknown>> {
  const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  return {
    helmClient: { executable: helm.executable },
    capiHelm: { chartName: chartFolders.cluster },
    zenith: {
      registrarAdminUrl: registrar.url,
      sshdHost: "sshd.zenith.example.com",
      apiserverChartName: chartFolders.zenithApiServer,
      operatorChartName: chartFolders.zenithOperator,
    },
    identity: { oidcEnabled: true, defaultUserClusterRole: { rules: [everything] } },
  };
}
