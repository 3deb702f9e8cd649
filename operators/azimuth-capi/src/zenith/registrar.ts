import { unescape as decode } from "node:querystring";
import { type Clock, KeelsonError, z } from "keelson";
import { abortable, cutText, errorCode, toError } from "keelson/low-level";

/** What the exchange with the registrar is made with. */
export interface RegistrarDependencies {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** A place in Zenith's DNS. */
export interface ReservedPlace {
  readonly subdomain: string;
  /** Also with a path if Zenith has one domain for all. */
  readonly fqdn: string;
}

/** The registrar of Zenith refused to reserve a place, or was not reached. The message contains no keys and no passwords. */
export class RegistrarError extends KeelsonError {
  static override readonly brand: string = "@keelson/azimuth-capi.RegistrarError";
  readonly code = "REGISTRAR";
  /** Of the response; undefined if there was none in time. */
  readonly status: number | undefined;
  /**
   * The registrar knows the key already, or found no free subdomain. Another attempt with the same key is useless, and takes
   * a subdomain away each time: the registrar reserves one before it looks at the key.
   */
  readonly isConflict: boolean;

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = status;
    this.isConflict = status === 409;
  }
}

const timeoutMs = 30_000;
/** Larger responses are not read: that of the registrar has some hundred bytes. */
const mostBytes = 64 * 1024;
const mostDetailBytes = 200;

const reservedPlace = z.object({ subdomain: z.string().min(1), fqdn: z.string().min(1) });
const refusal = z.object({ detail: z.string() });

/**
 * Reserves a place for a public key, for ever: there is no way to give it back. Redirects are not followed. Throws a
 * RegistrarError, or the signal's reason.
 */
export async function reserve(
  registrarAdminUrl: string,
  publicKey: string,
  { fetch, clock }: RegistrarDependencies,
  signal: AbortSignal,
): Promise<ReservedPlace> {
  signal.throwIfAborted();
  const url = new URL(registrarAdminUrl);
  const timeout = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => timeout.abort());
  const either = AbortSignal.any([signal, timeout.signal]);
  try {
    const response = await abortable(post(fetch, url, publicKey, either), either);
    return placeIn(url, response, publicKey);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RegistrarError) throw error;
    throw failure(url, timeout.signal.aborted ? late : unreached(error), { cause: error });
  } finally {
    cancel();
    // Ends a response of which not all was read.
    timeout.abort();
  }
}

const late = `it did not respond within ${timeoutMs / 1000} s`;

function unreached(error: unknown): string {
  const { name, cause } = toError(error);
  return `it was not reached: ${errorCode(cause) ?? name}`;
}

function failure(
  { host }: URL,
  problem: string,
  options: ConstructorParameters<typeof RegistrarError>[1],
): RegistrarError {
  return new RegistrarError(`reserve a subdomain at the registrar ${host}: ${problem}`, options);
}

interface WholeResponse {
  readonly status: number;
  readonly body: string;
}

async function post(
  fetch: RegistrarDependencies["fetch"],
  base: URL,
  publicKey: string,
  signal: AbortSignal,
): Promise<WholeResponse> {
  const url = new URL(base);
  url.username = "";
  url.password = "";
  url.pathname = `${base.pathname.replace(/\/+$/, "")}/admin/reserve`;
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    // There is one request in the life of a Cluster, so that no connection should be kept.
    headers: { "content-type": "application/json", connection: "close", ...authorization(base) },
    // The list is what all versions of the registrar know.
    body: JSON.stringify({ public_keys: [publicKey] }),
    signal,
  });
  const { status } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw failure(base, `its response has more than ${mostBytes} bytes`, { status });
    chunks.push(chunk);
  }
  return { status, body: Buffer.concat(chunks).toString() };
}

/** Fetch refuses a URL with a password, and its error has the URL. */
function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const credentials = Buffer.from(`${decode(username)}:${decode(password)}`).toString("base64");
  return { authorization: `Basic ${credentials}` };
}

function placeIn(url: URL, { status, body }: WholeResponse, publicKey: string): ReservedPlace {
  const fail = (problem: string): RegistrarError => failure(url, problem, { status });
  if (status >= 300 && status <= 399)
    throw fail(`it responded with ${status}, and redirects are not followed; correct its URL`);
  const content = jsonIn(body);
  if (status < 200 || status > 299) throw fail(`it responded with ${status}${detailIn(content, publicKey)}`);
  if (content === undefined) throw fail("its response is not JSON; does its URL lead to the registrar?");
  const place = reservedPlace.safeParse(content);
  if (!place.success) throw fail("its response has no subdomain and fqdn");
  return place.data;
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The message quotes the body, so that the caller says what is wrong.
    return undefined;
  }
}

/** What the registrar says, in short. It may repeat the request. */
function detailIn(content: unknown, publicKey: string): string {
  const { data } = refusal.safeParse(content);
  if (data === undefined) return "";
  const [, encoded = publicKey] = publicKey.split(" ");
  return `: ${cutText(data.detail.replaceAll(publicKey, "(key)").replaceAll(encoded, "(key)"), mostDetailBytes)}`;
}
