import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Client } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { Measurement } from "./measurement.ts";
import type { Subject } from "./subject.ts";

const secretBytes = 10_000;
const parallelCreates = 32;
/** Long enough for what the start left behind to be collected. */
const restMs = 10_000;

/** A subject, and how its process is started. */
export interface SubjectForm {
  readonly form: string;
  readonly subject: Subject;
}

/** What a subject takes while it holds many Secrets. */
export interface MemoryFigures {
  readonly secrets: number;
  /** From the start of the process until it is ready. */
  readonly readySeconds: number;
  /** The CPU time until then. */
  readonly readyCpuSeconds: number;
  /** Of the whole process, at rest after the sync. */
  readonly rssMb: number;
  readonly peakRssMb: number;
}

/** Starts the forms of a subject, one after the other, on a cluster with 20,000 Secrets of 10 KB. */
export async function measureMemory(
  forms: readonly SubjectForm[],
  quick: boolean,
  report: (line: string) => void,
): Promise<ReadonlyMap<string, MemoryFigures>> {
  const [first] = forms;
  if (first === undefined) return new Map();
  await using measurement = await Measurement.start(first.subject, "env-vars");
  const { client } = measurement;
  const secrets = quick ? 2_000 : 20_000;
  await createSecrets(client, secrets, (made) => report(`${made} of ${secrets} Secrets are there`));
  const figures = new Map<string, MemoryFigures>();
  for (const { form, subject } of forms) {
    const begin = performance.now();
    const { usage, kill } = await measurement.startSubject(subject);
    const readySeconds = round((performance.now() - begin) / 1000);
    const readyCpuSeconds = usage.sample().cpuSeconds;
    await setTimeout(restMs);
    const { rssMb, peakRssMb } = usage.sample();
    await kill();
    const sizes = { rssMb: round(rssMb), peakRssMb: round(peakRssMb) };
    figures.set(form, { secrets, readySeconds, readyCpuSeconds, ...sizes });
    report(
      `${form}: ready after ${readySeconds} s, CPU ${readyCpuSeconds} s; RSS ${sizes.rssMb} MB, at most ${sizes.peakRssMb} MB`,
    );
  }
  return figures;
}

async function createSecrets(
  client: Client,
  count: number,
  onProgress: (made: number) => void,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const metadata = { namespace: "default", name: `secret-${String(index).padStart(5, "0")}` };
      const data = { content: randomBytes(secretBytes).toString("base64") };
      await client.create(Secret, { metadata, data });
      if ((index + 1) % 2_000 === 0) onProgress(index + 1);
    }
  };
  await Promise.all(Array.from({ length: parallelCreates }, work));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
