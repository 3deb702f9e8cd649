import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChartRef, Helm } from "../../src/helm/helm.ts";

/** The files of a chart by their names. */
export type ChartFiles = Readonly<Record<string, string>>;

/** Charts that are fetched without Helm. */
export class FakeCharts implements Pick<Helm, "withChart"> {
  /** By version; those that are not here cannot be fetched. */
  readonly files = new Map<string, ChartFiles>();
  /** What was fetched, such as `https://charts.example.com app 1.0.0`. */
  readonly pulls: string[] = [];
  /** Fetches wait for this. */
  gate: Promise<void> = Promise.resolve();

  add(version: string, files: ChartFiles = {}): this {
    this.files.set(version, files);
    return this;
  }

  async withChart<T>(
    { name, repository, version = "" }: ChartRef,
    signal: AbortSignal,
    use: (folder: string) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    this.pulls.push(`${repository} ${name} ${version}`);
    await Promise.race([this.gate, whenAborted(signal)]);
    const files = this.files.get(version);
    if (files === undefined) throw new Error(`chart ${name} ${version} is not found`);
    const folder = await mkdtemp(join(tmpdir(), "fake-chart-"));
    try {
      for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}
