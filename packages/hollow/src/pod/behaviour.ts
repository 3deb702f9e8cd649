import { parseDurationMs } from "keelson";
import type { Pod } from "keelson/kinds/core/v1";
import type { PodTiming } from "./situation.ts";

/** The annotations on a pod, mostly by its template, that steer what its containers do. */
export const annotations = {
  /** How long the containers run until they end by themselves: a duration, or `forever`. */
  run: "hollow.keelson.dev/run",
  /** The code that they end with; or `name=code` for single containers, init containers too, separated by commas. */
  exitCode: "hollow.keelson.dev/exit-code",
  /** As `run`, but ends in failure unless `exit-code` sets another code. */
  crashAfter: "hollow.keelson.dev/crash-after",
  /** `fail`: the images cannot be pulled. */
  pull: "hollow.keelson.dev/pull",
  /** `false`: never ready; a duration: ready after so long. */
  ready: "hollow.keelson.dev/ready",
  /** `never`: the pod stays Pending; a duration: it starts after so long. */
  start: "hollow.keelson.dev/start",
} as const;

/** What the containers of a pod do. */
export interface PodBehaviour {
  /** Until the pod starts; infinite: it stays Pending. */
  readonly startDelayMs: number;
  /** They end after so long; undefined: never. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  /** The codes of single containers, by name; these end, whatever the others do. */
  readonly exitCodes: ReadonlyMap<string, number>;
  readonly canPull: boolean;
  /** They are ready so long after they started; undefined: never. */
  readonly readyAfterMs: number | undefined;
  /** What is wrong with the annotations. Nothing is started then, and what runs goes on. */
  readonly problem?: string;
}

/** Stands for all containers that are not init containers; no container has this name. */
const everyContainer = "";
const nothingSpecial = { runMs: undefined, exitCode: 0, exitCodes: new Map<string, number>(), canPull: true };

/** How a single container ends: by its own code, or as all others do. */
export function endOf(
  { runMs, exitCode, exitCodes }: Pick<PodBehaviour, "runMs" | "exitCode" | "exitCodes">,
  name: string,
  timing: Pick<PodTiming, "runMs">,
): Pick<PodBehaviour, "runMs" | "exitCode"> {
  const own = exitCodes.get(name);
  return own === undefined ? { runMs, exitCode } : { runMs: runMs ?? timing.runMs, exitCode: own };
}

export function behaviourOf(pod: Pod, timing: PodTiming): PodBehaviour {
  const read = new AnnotationReader(pod.metadata.annotations ?? {});
  const run = read.duration(annotations.run, ["forever"]);
  const crashAfter = read.duration(annotations.crashAfter, []);
  const exitCodes = read.exitCodes();
  const exitCode = exitCodes.get(everyContainer);
  const start = read.duration(annotations.start, ["never"]);
  const startDelayMs = start === "never" ? Number.POSITIVE_INFINITY : (start ?? timing.startDelayMs);
  const canPull = read.oneOf(annotations.pull, ["succeed", "fail"]) !== "fail";
  const ready = read.duration(annotations.ready, ["true", "false"]);
  if (run !== undefined && crashAfter !== undefined) {
    read.problems.push(`${annotations.run} and ${annotations.crashAfter} exclude each other`);
  }
  if (read.problems.length > 0) {
    const problem = read.problems.join("; ");
    const { readyDelayMs: readyAfterMs, startDelayMs } = timing;
    return { ...{ startDelayMs, readyAfterMs, problem }, ...nothingSpecial };
  }
  const endsByDefault = exitCode !== undefined || (pod.spec?.restartPolicy ?? "Always") !== "Always";
  const runMs = run ?? crashAfter ?? (endsByDefault ? timing.runMs : "forever");
  return {
    startDelayMs,
    runMs: typeof runMs === "number" ? runMs : undefined,
    exitCode: exitCode ?? (crashAfter === undefined ? 0 : 1),
    exitCodes: new Map([...exitCodes].filter(([name]) => name !== everyContainer)),
    canPull,
    readyAfterMs: readyAfter(ready, timing),
  };
}

function readyAfter(ready: number | string | undefined, timing: PodTiming): number | undefined {
  if (ready === "false") return undefined;
  return typeof ready === "number" ? ready : timing.readyDelayMs;
}

/** Reads values and collects all their problems, so that the status of the pod shows them together. */
class AnnotationReader {
  readonly problems: string[] = [];
  readonly #values: Readonly<Record<string, string>>;

  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values;
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.#values[name];
    const word = words.find((each) => each === value);
    if (value !== undefined && word === undefined) this.#complain(name, value, words.join(" or "));
    return word;
  }

  duration<Word extends string>(name: string, words: readonly Word[]): number | Word | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const meaning = words.find((word) => word === value) ?? wholeMs(value);
    if (meaning === undefined) this.#complain(name, value, ["a duration such as 5s", ...words].join(" or "));
    return meaning;
  }

  /** The codes by container; one for all of them is under an empty name. */
  exitCodes(): ReadonlyMap<string, number> {
    const codes = new Map<string, number>();
    const value = this.#values[annotations.exitCode];
    if (value === undefined) return codes;
    const parts = /^\d{1,3}$/.test(value) ? [`${everyContainer}=${value}`] : value.split(",");
    for (const part of parts) {
      const [, name, code] = /^\s*([^=\s]*)=(\d{1,3})\s*$/.exec(part) ?? [];
      if (name === undefined || Number(code) > 255) {
        this.#complain(annotations.exitCode, value, "a number from 0 to 255 or main=1,setup=2");
        return new Map();
      }
      codes.set(name, Number(code));
    }
    return codes;
  }

  #complain(name: string, value: string, expected: string): void {
    this.problems.push(`annotation ${name} is ${JSON.stringify(value)}, must be ${expected}`);
  }
}

/** Undefined for what is no duration, or one that goes back in time. */
function wholeMs(text: string): number | undefined {
  const ms = parseDurationMs(text);
  return ms === undefined || ms < 0 ? undefined : Math.round(ms);
}
