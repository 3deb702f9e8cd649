import { type Clock, type ServiceRequest, type ServiceResponse, sleep } from "@keelson/core";
import { fileAnswer, textAnswer } from "./answers.ts";

const defaultSeconds = 10;
const mostSeconds = 120;

/** Where time is spent, for the performance tab of a browser's developer tools. One at a time. */
export class CpuProfiles {
  readonly #clock: Clock;
  #isTaken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async answer(request: ServiceRequest, query: URLSearchParams): Promise<ServiceResponse> {
    const seconds = Number(query.get("seconds") ?? defaultSeconds);
    if (!(seconds > 0 && seconds <= mostSeconds))
      return textAnswer(400, `seconds must be more than 0 and at most ${mostSeconds}`);
    if (this.#isTaken) return textAnswer(409, "a profile is being taken; try again when it is done");
    this.#isTaken = true;
    try {
      return fileAnswer("keelson.cpuprofile", await this.#take(seconds, request.signal));
    } finally {
      this.#isTaken = false;
    }
  }

  async #take(seconds: number, signal: AbortSignal): Promise<string> {
    // Loaded when it is needed: an idle operator would hold a megabyte for it.
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    try {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      await sleep(this.#clock, seconds * 1000, signal);
      const { profile } = await session.post("Profiler.stop");
      return JSON.stringify(profile);
    } finally {
      session.disconnect();
    }
  }
}
