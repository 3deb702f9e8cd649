import { type Clock, KeelsonError } from "keelson";
import { errorCode, toError } from "keelson/low-level";
import type { AppTemplateSpec } from "../api/app-template.ts";
import { chartBlock, type IndexedVersion, versionsIn } from "./chart-index.ts";
import { RepositoryError, UnusableAppTemplateError } from "./errors.ts";
import { withTimeLimit } from "./time-limit.ts";

/** Sends HTTP requests: `fetch` of Node, or one that uses a proxy. */
export type Fetch = typeof globalThis.fetch;

/** Where a chart is. */
export type ChartAddress = AppTemplateSpec["chart"];

/** How long the download of an index may take. */
const timeoutMs = 30_000;
/** The largest public repositories have indexes of about 20 MB. */
const mostIndexBytes = 32 * 1024 * 1024;
/** What is kept in memory to find out cheaply that nothing has changed. */
const mostKept = 64;
const mostKeptCharacters = 1024 * 1024;

/** What a repository said of a chart, and the tag by which it recognises that nothing has changed. */
interface Kept {
  readonly etag: string;
  readonly block: string | undefined;
}

/** Reads the indexes of repositories of charts. */
export class ChartRepositories {
  readonly #fetch: Fetch;
  /** By URL and chart, the oldest one first. */
  readonly #kept = new Map<string, Kept>();

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /**
   * The versions of a chart; undefined if the repository does not have it. Throws a RepositoryError, whose message contains no
   * password of the URL, an UnusableAppTemplateError if there is no such URL, or the signal's reason.
   */
  async versionsOf(
    chart: ChartAddress,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<readonly IndexedVersion[] | undefined> {
    const request = indexRequest(chart.repo);
    try {
      const block = await withTimeLimit({ clock, limitMs: timeoutMs, signal }, (either) =>
        this.#read(request, chart.name, either),
      );
      return block === undefined ? undefined : versionsIn(block);
    } catch (error) {
      signal.throwIfAborted();
      throw new RepositoryError(`read ${request.shown}: ${problemOf(error)}`, { cause: error });
    }
  }

  async #read(request: IndexRequest, chart: string, signal: AbortSignal): Promise<string | undefined> {
    const key = `${request.url} ${chart}`;
    const kept = this.#kept.get(key);
    const headers = {
      ...request.headers,
      ...(kept !== undefined && { "if-none-match": kept.etag }),
      // So that no socket is left behind; there are few requests in a day.
      connection: "close",
    };
    // By the standard, `fetch` follows redirects to http and https alone, and takes credentials to no other host.
    const response = await this.#fetch(request.url, { headers, signal, redirect: "follow" });
    if (response.status === 304 && kept !== undefined) return kept.block;
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new RepositoryError(`the repository responded with ${response.status}`);
    }
    const block = chartBlock(await readText(response), chart);
    this.#keep(key, response.headers.get("etag"), block);
    return block;
  }

  #keep(key: string, etag: string | null, block: string | undefined): void {
    this.#kept.delete(key);
    if (etag === null || (block?.length ?? 0) > mostKeptCharacters) return;
    this.#kept.set(key, { etag, block });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
  }
}

interface IndexRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For messages: without credentials. */
  readonly shown: string;
}

/** `fetch` does not accept credentials in a URL. Throws an UnusableAppTemplateError. */
function indexRequest(repo: string): IndexRequest {
  const url = URL.parse(repo);
  const credentials = url === null ? undefined : credentialsIn(url);
  if (url === null || credentials === undefined)
    // Without the text: there may be a password in it.
    throw new UnusableAppTemplateError(
      "InvalidRepository",
      "chart.repo is no URL; write it like https://host/path",
    );
  url.username = "";
  url.password = "";
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/index.yaml`;
  const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    url: url.href,
    headers: credentials === ":" ? {} : { authorization },
    shown: `${url.origin}${url.pathname}`,
  };
}

/** As basic authentication wants them; undefined if they are not encoded as a URL needs it. */
function credentialsIn({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > mostIndexBytes)
      throw new RepositoryError(`the index has more than ${mostIndexBytes / 1024 / 1024} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** `fetch` hides the reason in the cause. */
function problemOf(caught: unknown): string {
  if (caught instanceof KeelsonError) return caught.message;
  const { message, cause } = toError(caught);
  return `the repository did not respond: ${errorCode(cause) ?? (cause instanceof Error ? cause.message : message)}`;
}
