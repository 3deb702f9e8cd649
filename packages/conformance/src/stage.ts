import { type Clock, formatJson, isRecord, parseJson, sleep } from "@keelson/core";
import { ConditionNotMetError } from "./errors.ts";
import type { KubectlResult, KubectlRun, Reply, StreamReply, World, WorldRequest } from "./world.ts";

/** What a case saw, in order: the steps and their outcome. */
export type Transcript = readonly TranscriptEntry[];

export interface TranscriptEntry {
  readonly step: string;
  readonly outcome: unknown;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: string;
}

/** Sent with every request unless its headers override it. Field managers are named after the agent. */
const usualHeaders = { accept: "application/json", "user-agent": "conformance" };
/** A watch that shows less than it ought to must end at some time. */
const watchTimeoutSeconds = 20;
/** How long a condition may take to hold; a server may be busy with many cases. */
const patienceMs = 60_000;
const mergePatch = "application/merge-patch+json";

/**
 * Where a case runs: a control plane, a namespace of its own, and a record of all responses. What is
 * not to be compared goes through `quietly`.
 */
export class Stage {
  readonly namespace: string;
  readonly #world: World;
  readonly #clock: Clock;
  readonly #transcript: TranscriptEntry[] = [];

  constructor(world: World, namespace: string, clock: Clock) {
    this.#world = world;
    this.namespace = namespace;
    this.#clock = clock;
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  /** `/api/v1/namespaces/<the case's>/<rest>`, or below `/apis/<group>/<version>` for `apps/v1:deployments/web`. */
  path(rest: string): string {
    const [api, resource] = rest.includes(":") ? rest.split(":", 2) : ["v1", rest];
    const root = api === "v1" ? "/api/v1" : `/apis/${api}`;
    return `${root}/namespaces/${this.namespace}/${resource}`;
  }

  /** Sends a request as it is given, and records the response. */
  async send(request: WorldRequest): Promise<Reply> {
    const reply = await this.look(request);
    this.record(`${request.method} ${request.path}`, {
      status: reply.status,
      ...shownHeaders(reply.headers),
      body: parsed(reply.text),
    });
    return reply;
  }

  /** Sends a request; the case itself records a part of the response. */
  async look(request: WorldRequest): Promise<Reply> {
    for (;;) {
      const reply = await this.#world.request({
        ...request,
        headers: { ...usualHeaders, ...request.headers },
      });
      if (!isPassing(reply)) return reply;
      await sleep(this.#clock, 100);
    }
  }

  async get(path: string, options: RequestOptions = {}): Promise<unknown> {
    return parsed((await this.send({ method: "GET", path, ...options })).text);
  }

  async create(path: string, object: unknown, options: RequestOptions = {}): Promise<unknown> {
    return await this.#write("POST", path, object, "application/json", options);
  }

  async replace(path: string, object: unknown, options: RequestOptions = {}): Promise<unknown> {
    return await this.#write("PUT", path, object, "application/json", options);
  }

  /** A merge patch, unless the headers name another content type. */
  async patch(path: string, patch: unknown, options: RequestOptions = {}): Promise<unknown> {
    return await this.#write("PATCH", path, patch, mergePatch, options);
  }

  async jsonPatch(path: string, operations: unknown, options: RequestOptions = {}): Promise<unknown> {
    return await this.#write("PATCH", path, operations, "application/json-patch+json", options);
  }

  async strategicPatch(path: string, patch: unknown, options: RequestOptions = {}): Promise<unknown> {
    return await this.#write("PATCH", path, patch, "application/strategic-merge-patch+json", options);
  }

  /** Server-side apply; the path carries `fieldManager` and `force`. */
  async apply(path: string, configuration: unknown, options: RequestOptions = {}): Promise<unknown> {
    return await this.#write("PATCH", path, configuration, "application/apply-patch+yaml", options);
  }

  async delete(path: string, deleteOptions?: unknown, options: RequestOptions = {}): Promise<unknown> {
    if (deleteOptions !== undefined) {
      return await this.#write("DELETE", path, deleteOptions, "application/json", options);
    }
    return parsed((await this.send({ method: "DELETE", path, ...options })).text);
  }

  /**
   * Reads a watch until it has shown so many events, and records them. Give a `timeoutSeconds` and request more events
   * than there are to show that no more come.
   */
  async watch(
    path: string,
    events: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly unknown[]> {
    const timeout = path.includes("timeoutSeconds=") ? "" : `timeoutSeconds=${watchTimeoutSeconds}`;
    const joint = path.includes("?") ? "&" : "?";
    const timed = timeout === "" ? path : `${path}${joint}${timeout}`;
    const { status, lines, ended } = await this.#stream(timed, events, { ...usualHeaders, ...headers });
    const shown = lines.map(parsed);
    this.record(`WATCH ${path}`, { status, ended, events: shown });
    return shown;
  }

  /** Runs kubectl in the case's namespace and records what it printed. Words are split at spaces. */
  async kubectl(command: string | readonly string[], run: KubectlRun = {}): Promise<KubectlResult> {
    const args = typeof command === "string" ? command.split(" ") : command;
    const result = await this.#world.kubectl([`--namespace=${this.namespace}`, ...args], run);
    this.record(`kubectl ${args.join(" ")}`, result);
    return result;
  }

  /** Waits until a GET of the path returns what is expected. Nothing is recorded, as it may take any number of requests. */
  async until(path: string, isAsWanted: (object: unknown) => boolean): Promise<unknown> {
    return await this.untilAnswer({ method: "GET", path }, isAsWanted);
  }

  /** Repeats a request until the response is the expected one; nothing is recorded. */
  async untilAnswer(request: WorldRequest, isAsWanted: (response: unknown) => boolean): Promise<unknown> {
    const deadline = this.#clock.monotonicNow() + patienceMs;
    const headers = { "content-type": "application/json", ...request.headers };
    for (;;) {
      const response = parsed((await this.look({ ...request, headers })).text);
      if (isAsWanted(response)) return response;
      if (this.#clock.monotonicNow() > deadline) {
        throw new ConditionNotMetError(`${request.method} ${request.path}`, response);
      }
      await sleep(this.#clock, 100);
    }
  }

  /** Lets time pass, for what cannot be seen. */
  async pass(ms: number): Promise<void> {
    await sleep(this.#clock, ms);
  }

  /** Sends a request that prepares the case; it must succeed. */
  async quietly(request: WorldRequest): Promise<unknown> {
    const headers = { ...usualHeaders, "content-type": "application/json", ...request.headers };
    const { status, text } = await this.#world.request({ ...request, headers });
    if (status >= 400) throw new ConditionNotMetError(`${request.method} ${request.path}`, parsed(text));
    return parsed(text);
  }

  /** Prepares the case with an object; gives it as it was stored. */
  async prepare(path: string, object: unknown): Promise<unknown> {
    return await this.quietly({ method: "POST", path, body: formatJson(object) });
  }

  /** Removes what would disturb other cases, such as an object outside of the case's namespace. */
  async remove(path: string): Promise<void> {
    await this.quietly({ method: "DELETE", path });
  }

  async addUser(name: string, groups?: readonly string[]): Promise<void> {
    await this.#world.addUser(name, groups);
  }

  record(step: string, outcome: unknown): void {
    this.#transcript.push({ step, outcome });
  }

  async #stream(
    path: string,
    lines: number,
    headers: Readonly<Record<string, string>>,
  ): Promise<StreamReply> {
    for (;;) {
      const reply = await this.#world.stream(path, lines, headers);
      if (!isPassing({ status: reply.status, text: reply.lines[0] ?? "" })) return reply;
      await sleep(this.#clock, 100);
    }
  }

  async #write(
    method: WorldRequest["method"],
    path: string,
    body: unknown,
    contentType: string,
    { headers, user }: RequestOptions,
  ): Promise<unknown> {
    const reply = await this.send({
      method,
      path,
      headers: { "content-type": contentType, ...headers },
      body: typeof body === "string" ? body : formatJson(body),
      ...(user !== undefined && { user }),
    });
    return parsed(reply.text);
  }
}

/** What a server returns while it replaces the storage of a custom kind whose definition is new; the client has to retry. */
function isPassing({ status, text }: Pick<Reply, "status" | "text">): boolean {
  return (
    (status === 503 && text.includes("apiserver is shutting down")) ||
    (status === 429 && text.includes("storage is (re)initializing"))
  );
}

/** Those that clients act upon. */
function shownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = ["content-type", "warning", "retry-after", "www-authenticate"];
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

/** JSON as its value, anything else as its text. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Reads a field of a response by its path, such as `status.readyReplicas`; undefined where there is nothing. */
export function field(object: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), object);
}
