import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "keelson";
import { errorCode } from "keelson/low-level";
import { type ChartMetadata, parseChartMetadata } from "./chart-yaml.ts";
import { HelmFormatError } from "./errors.ts";
import type { ChartRef } from "./helm.ts";
import type { HelmCommand, HelmCommands, Repository } from "./helm-commands.ts";

/** How a command of Helm names a chart. */
export interface ChartArguments extends Pick<HelmCommand, "repository"> {
  readonly operand: string;
  readonly flags: readonly string[];
  /** The credentials of the repository. */
  readonly secrets: readonly string[];
}

/** Under this name a command knows a repository whose credentials may not be among its arguments. */
const repositoryName = "charts";

/** Throws a HelmFormatError if the repository is no URL. */
export async function chartArguments({ name, repository, version }: ChartRef): Promise<ChartArguments> {
  const versioned = version === undefined ? [] : [`--version=${version}`];
  if (repository === undefined) return { operand: await operandOf(name), flags: versioned, secrets: [] };
  const known = repositoryWithCredentials(repository);
  if (known === undefined)
    return { operand: name, flags: [`--repo=${repository}`, ...versioned], secrets: [] };
  const secrets = [known.username, known.password];
  return { operand: `${repositoryName}/${name}`, flags: versioned, repository: known, secrets };
}

/** Helm runs in a folder of its own, where a relative path would be another one. */
async function operandOf(name: string): Promise<string> {
  const path = resolve(name);
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists ? path : name;
}

function repositoryWithCredentials(text: string): Repository | undefined {
  if (!URL.canParse(text)) throw new HelmFormatError("use a chart repository: its address is no URL");
  const url = new URL(text);
  const { username, password } = url;
  if (username === "" && password === "") return undefined;
  url.username = "";
  url.password = "";
  return {
    name: repositoryName,
    url: url.href,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

/** The folder of a chart that is unpacked on this machine; undefined if it is not. */
export async function unpackedChart(
  chart: ChartRef,
): Promise<{ readonly folder: string; readonly metadata: ChartMetadata } | undefined> {
  if (chart.repository !== undefined) return undefined;
  const folder = resolve(chart.name);
  const file = join(folder, "Chart.yaml");
  try {
    return { folder, metadata: parseChartMetadata(await readFile(file, "utf8"), file) };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

const exactVersion = /^v?\d+\.\d+\.\d+(?:[-+].*)?$/;
/** How long the newest version of a chart, or the newest of a range, is taken for that. */
const newestMs = 600_000;

interface KnownChart {
  readonly metadata: ChartMetadata;
  /** By the monotonic clock. */
  readonly untilMs: number;
}

/** Knows the names and versions of charts. What does not change is asked once of Helm. */
export class ChartCatalog {
  readonly #commands: HelmCommands;
  readonly #clock: Clock;
  /** By repository, name and version: as many as the settings name. */
  readonly #known = new Map<string, KnownChart>();

  constructor(commands: HelmCommands, clock: Clock) {
    this.#commands = commands;
    this.#clock = clock;
  }

  /** A folder is read each time, so that it may be replaced. Rejects with a HelmError. */
  async metadataOf(chart: ChartRef, signal: AbortSignal): Promise<ChartMetadata> {
    const unpacked = await unpackedChart(chart);
    if (unpacked !== undefined) return unpacked.metadata;
    const id = JSON.stringify([chart.repository, chart.name, chart.version]);
    const known = this.#known.get(id);
    if (known !== undefined && known.untilMs > this.#clock.monotonicNow()) return known.metadata;
    const { operand, flags, repository, secrets } = await chartArguments(chart);
    const purpose = `show chart ${chart.name}`;
    const text = await this.#commands.run(
      {
        ...{ purpose, verb: ["show", "chart"], flags, operands: [operand], repository, secrets },
        hasOutput: true,
      },
      signal,
    );
    const metadata = parseChartMetadata(text, purpose);
    const isExact = exactVersion.test(chart.version ?? "");
    const untilMs = isExact ? Number.POSITIVE_INFINITY : this.#clock.monotonicNow() + newestMs;
    this.#known.set(id, { metadata, untilMs });
    return metadata;
  }
}
