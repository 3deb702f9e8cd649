import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { buildPublished } from "./published.ts";
import type { Benchmark } from "./run.ts";

const run = promisify(execFile);

/** What a fresh process reports after it has run the code: how long it took and how much memory it then holds. */
async function measure(code: string): Promise<{ readonly ms: number; readonly rssMb: number }> {
  const program = `
    const start = performance.now();
    ${code}
    const ms = performance.now() - start;
    console.log(JSON.stringify({ ms, rssMb: process.memoryUsage.rss() / 1e6 }));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  return JSON.parse(stdout);
}

/** What `import "keelson"` costs beyond a bare Node, in the form in which it is published. */
export const importBenchmark: Benchmark = async ({ quick }) => {
  buildPublished();
  const bare: { ms: number; rssMb: number }[] = [];
  const keelson: { ms: number; rssMb: number }[] = [];
  for (let round = 0; round < (quick ? 3 : 15); round++) {
    bare.push(await measure(""));
    keelson.push(await measure('await import("keelson");'));
  }
  const median = (values: readonly number[]): number =>
    [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const bareRssMb = median(bare.map(({ rssMb }) => rssMb));
  const rssMb = median(keelson.map(({ rssMb }) => rssMb));
  return {
    rounds: keelson.length,
    importMedianMs: Math.round(median(keelson.map(({ ms }) => ms))),
    importMinMs: Math.round(Math.min(...keelson.map(({ ms }) => ms))),
    bareRssMb: Math.round(bareRssMb),
    rssMb: Math.round(rssMb),
    rssAboveBareMb: Math.round(rssMb - bareRssMb),
  };
};
