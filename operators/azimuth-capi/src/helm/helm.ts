import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, type Clock, formatKey, type GenericObject } from "keelson";
import type { ClusterAccess, Environment } from "keelson/client";
import type { HelmSettings } from "../settings.ts";
import { ChartCatalog, chartArguments, unpackedChart } from "./chart-source.ts";
import { digestOf, secretsIn, valuesText } from "./chart-values.ts";
import { type ChartMetadata, parseManifests } from "./chart-yaml.ts";
import { HelmCommandError, HelmFormatError } from "./errors.ts";
import { HelmCommands, withPrivateFolder } from "./helm-commands.ts";
import type { ReleaseRevision } from "./release-record.ts";
import { Releases } from "./releases.ts";

/** A chart: a folder, or a name in a repository. */
export interface ChartRef {
  readonly name: string;
  /** A URL; credentials in it do not show in a process list. Default: `name` is a path, or begins with `oci://`. */
  readonly repository?: string | undefined;
  /** Default: the newest. */
  readonly version?: string | undefined;
}

export interface ReleaseKey {
  readonly namespace: string;
  readonly name: string;
}

/** The values for a chart, as JSON. */
export type Values = Readonly<Record<string, unknown>>;

/** Helm as a program: every method rejects with a HelmError, or with the signal's reason once nothing runs any more. */
export interface Helm {
  /**
   * Installs the release, or upgrades it if its chart, the version of its chart or the values differ from those of its newest
   * revision, or if that is not deployed. A release that an earlier command has left half done is freed first. Does not wait
   * until the objects of the chart are ready.
   */
  ensureRelease(
    release: ReleaseKey,
    chart: ChartRef,
    values: Values,
    signal: AbortSignal,
  ): Promise<"installed" | "upgraded" | "unchanged">;
  /** False if there was no such release. Does not wait until its objects are deleted. */
  uninstall(release: ReleaseKey, signal: AbortSignal): Promise<boolean>;
  /** The objects that the chart renders to, without its CustomResourceDefinitions. Needs no cluster. */
  template(
    release: ReleaseKey,
    chart: ChartRef,
    values: Values,
    signal: AbortSignal,
  ): Promise<readonly GenericObject[]>;
  /** Calls `use` with the folder of the chart. One that was fetched is deleted afterwards. */
  withChart<T>(chart: ChartRef, signal: AbortSignal, use: (folder: string) => Promise<T>): Promise<T>;
}

export interface HelmOptions {
  readonly settings: HelmSettings;
  /** How Helm reaches the API server; without it there are no releases. */
  readonly access: ClusterAccess | undefined;
  /** Reads the releases from the API server, past any cache. As `access`. */
  readonly client: Client | undefined;
  readonly clock: Clock;
  /** Of it, Helm gets PATH, proxies, and the files of trusted certificates. */
  readonly env: Environment;
  /** How many commands run at once; each takes some 60 MB and, for a second or less, a core. Default 4. */
  readonly maxCommands?: number;
}

/** Makes Helm usable. Nothing is started before it is used. */
export function createHelm(options: HelmOptions): Helm {
  return new HelmProgram(options);
}

const defaultMaxCommands = 4;
/** How long the end of an uninstall that an earlier command began is waited for at once. */
const maxUninstallMs = 600_000;

class HelmProgram implements Helm {
  readonly #settings: HelmSettings;
  readonly #root: string;
  readonly #commands: HelmCommands;
  readonly #charts: ChartCatalog;
  readonly #releases: Releases;

  constructor({ settings, access, client, clock, env, maxCommands = defaultMaxCommands }: HelmOptions) {
    const root = settings.unpackDirectory ?? tmpdir();
    this.#settings = settings;
    this.#root = root;
    this.#commands = new HelmCommands({ settings, access, clock, env, root, maxCommands });
    this.#charts = new ChartCatalog(this.#commands, clock);
    this.#releases = new Releases(client);
  }

  async ensureRelease(
    release: ReleaseKey,
    chart: ChartRef,
    values: Values,
    signal: AbortSignal,
  ): Promise<"installed" | "upgraded" | "unchanged"> {
    const metadata = await this.#charts.metadataOf(chart, signal);
    const current = await this.#freed(release, signal);
    if (current !== undefined && isUpToDate(current, metadata, values)) return "unchanged";
    const { version } = metadata;
    const { operand, flags, repository, secrets } = await chartArguments({ ...chart, version });
    await this.#commands.run(
      {
        purpose: `upgrade release ${formatKey(release)}`,
        verb: ["upgrade"],
        flags: [
          "--install",
          ...this.#releaseFlags(release),
          `--history-max=${this.#settings.historyMaxRevisions}`,
          ...flags,
          "--values=-",
          // Without values, Helm would keep those of the revision before.
          "--reset-values",
        ],
        // What the chart says of an object counts, also if a person has edited the object.
        flagsOfHelm4: current === undefined || current.isServerSide ? ["--force-conflicts"] : [],
        operands: [release.name, operand],
        input: valuesText(values),
        secrets: [...secrets, ...secretsIn(values)],
        repository,
        needsCluster: true,
      },
      signal,
    );
    return current === undefined ? "installed" : "upgraded";
  }

  async uninstall(release: ReleaseKey, signal: AbortSignal): Promise<boolean> {
    if ((await this.#releases.newest(release, signal)) === undefined) return false;
    return this.#uninstall(release, this.#releaseFlags(release), signal);
  }

  async template(
    release: ReleaseKey,
    chart: ChartRef,
    values: Values,
    signal: AbortSignal,
  ): Promise<readonly GenericObject[]> {
    const { operand, flags, repository, secrets } = await chartArguments(chart);
    const purpose = `render chart ${chart.name} for release ${formatKey(release)}`;
    const text = await this.#commands.run(
      {
        purpose,
        verb: ["template"],
        flags: ["--skip-crds", `--namespace=${release.namespace}`, ...flags, "--values=-"],
        operands: [release.name, operand],
        input: valuesText(values),
        secrets: [...secrets, ...secretsIn(values)],
        repository,
        hasOutput: true,
      },
      signal,
    );
    return parseManifests(text, purpose);
  }

  async withChart<T>(chart: ChartRef, signal: AbortSignal, use: (folder: string) => Promise<T>): Promise<T> {
    const unpacked = await unpackedChart(chart);
    if (unpacked !== undefined) return use(unpacked.folder);
    return withPrivateFolder(this.#root, async (folder) => {
      const { operand, flags, repository, secrets } = await chartArguments(chart);
      const purpose = `fetch chart ${chart.name}`;
      const pull = ["--untar", `--destination=${folder}`, ...flags];
      await this.#commands.run(
        { purpose, verb: ["pull"], flags: pull, operands: [operand], repository, secrets },
        signal,
      );
      const [unpackedTo] = (await readdir(folder, { withFileTypes: true })).filter((each) =>
        each.isDirectory(),
      );
      if (unpackedTo === undefined) throw new HelmFormatError(`${purpose}: helm has unpacked nothing`);
      return use(join(folder, unpackedTo.name));
    });
  }

  /** The newest revision, from which Helm can go on; undefined if the release has to be installed. */
  async #freed(release: ReleaseKey, signal: AbortSignal): Promise<ReleaseRevision | undefined> {
    const current = await this.#releases.newest(release, signal);
    if (current?.status.startsWith("pending-")) return this.#releases.markFailed(release, signal);
    if (current?.status === "uninstalling") {
      await this.#completeUninstall(release, signal);
      return undefined;
    }
    return current?.status === "uninstalled" ? undefined : current;
  }

  /**
   * Waits until the objects of the release are deleted: those that are being deleted would be taken for those that are to be
   * installed, and vanish. Helm forgets the release when its own limit is over, deleted or not; so it is ended before that,
   * and a later attempt goes on.
   */
  async #completeUninstall(release: ReleaseKey, signal: AbortSignal): Promise<void> {
    const timeoutMs = Math.min(this.#settings.defaultTimeout, maxUninstallMs);
    const flags = [...this.#releaseFlags(release, timeoutMs * 2), "--wait"];
    await this.#uninstall(release, flags, signal, { timeoutMs });
  }

  async #uninstall(
    release: ReleaseKey,
    flags: readonly string[],
    signal: AbortSignal,
    limit: { readonly timeoutMs?: number } = {},
  ): Promise<boolean> {
    const purpose = `uninstall release ${formatKey(release)}`;
    try {
      const operands = [release.name];
      await this.#commands.run(
        { purpose, verb: ["uninstall"], flags, operands, needsCluster: true, ...limit },
        signal,
      );
      return true;
    } catch (error) {
      if (error instanceof HelmCommandError && error.failure === "release-not-found") return false;
      throw error;
    }
  }

  #releaseFlags({ namespace }: ReleaseKey, timeoutMs = this.#settings.defaultTimeout): readonly string[] {
    return [`--namespace=${namespace}`, `--timeout=${Math.ceil(timeoutMs / 1000)}s`];
  }
}

function isUpToDate(
  { status, chartName, chartVersion, valuesDigest }: ReleaseRevision,
  { name, version }: ChartMetadata,
  values: Values,
): boolean {
  const isSameChart = chartName === name && chartVersion === version;
  return status === "deployed" && isSameChart && valuesDigest === digestOf(values);
}
