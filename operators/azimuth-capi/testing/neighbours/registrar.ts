import { createHash } from "node:crypto";
import type { Clock, Random } from "keelson";
import {
  type HttpService,
  type Listener,
  listenHttp,
  type ServiceRequest,
  type ServiceResponse,
} from "keelson/client";
import { isRecord, sleep } from "keelson/low-level";

interface RegistrarKnobs {
  /** Refuses reservations with this status, such as 503. */
  readonly failure: number | undefined;
  /** How long a reservation takes. */
  readonly delayMs: number;
}

/** A reservation that was requested, and the status of the response. */
interface RegistrarCall {
  readonly publicKey: string | undefined;
  readonly status: number;
}

export interface Registrar extends AsyncDisposable {
  /** The value for the setting `zenith.registrarAdminUrl`. */
  readonly url: string;
  readonly port: number;
  /** All requests, in the order of their responses. */
  readonly calls: readonly RegistrarCall[];
  set(knobs: Partial<RegistrarKnobs>): void;
}

/** The domain of all reservations. */
const baseDomain = "zenith.example.com";
const keyPattern = /^ssh-ed25519 [A-Za-z0-9+/]+={0,2}$/;

export interface RegistrarOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** A port to listen on, if it is free. Default: any. */
  readonly registrarPort?: number | undefined;
}

/** Starts the registrar of Zenith on loopback. A key that is reserved stays so. */
export async function startRegistrar({
  clock,
  random,
  registrarPort = 0,
}: RegistrarOptions): Promise<Registrar> {
  const calls: RegistrarCall[] = [];
  const reserved = new Set<string>();
  let knobs: RegistrarKnobs = { failure: undefined, delayMs: 0 };
  const reserve = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const { failure, delayMs } = knobs;
    const publicKey = publicKeyIn(await textOf(request.body));
    if (delayMs > 0) await sleep(clock, delayMs, request.signal);
    const response = responseTo(publicKey, failure, { reserved, random });
    calls.push({ publicKey, status: response.status });
    return response;
  };
  const service: HttpService = async (request) => {
    if (request.path !== "/admin/reserve") return json(404, { detail: "Not Found" });
    return request.method === "POST" ? reserve(request) : json(405, { detail: "Method Not Allowed" });
  };
  const listen = (port: number): Promise<Listener> => listenHttp({ host: "127.0.0.1", port }, service);
  const listener = await listen(registrarPort).catch(() => listen(0));
  return {
    url: `http://127.0.0.1:${listener.port}`,
    port: listener.port,
    calls,
    set: (changes) => {
      knobs = { ...knobs, ...changes };
    },
    [Symbol.asyncDispose]: () => listener.close(0),
  };
}

function responseTo(
  publicKey: string | undefined,
  failure: number | undefined,
  { reserved, random }: { readonly reserved: Set<string>; readonly random: Random },
): ServiceResponse {
  if (failure !== undefined) return json(failure, { detail: "the registrar fails on request" });
  if (publicKey === undefined) return json(422, { detail: "exactly one public key is needed" });
  if (reserved.has(publicKey))
    return json(409, { detail: "The given public key is already associated with a subdomain." });
  reserved.add(publicKey);
  const subdomain = `z${randomText(random, 24)}`;
  const fqdn = `${subdomain}.${baseDomain}`;
  const fingerprint = createHash("sha256")
    .update(Buffer.from(publicKey.split(" ").at(1) ?? "", "base64"))
    .digest("base64url");
  return json(200, {
    ...{ subdomain, fqdn, internal_fqdn: `${subdomain}.internal`, fingerprint },
    fingerprints: [fingerprint],
  });
}

/** Either of the two ways to name a key. */
function publicKeyIn(text: string): string | undefined {
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  if (!isRecord(body)) return undefined;
  const keys: readonly unknown[] = Array.isArray(body.public_keys) ? body.public_keys : [body.public_key];
  const [key] = keys;
  return keys.length === 1 && typeof key === "string" && keyPattern.test(key) ? key : undefined;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function randomText(random: Random, length: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from({ length }, () => letters[Math.floor(random.next() * letters.length)]).join("");
}

function json(status: number, value: object): ServiceResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
