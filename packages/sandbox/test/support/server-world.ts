import {
  type HttpService,
  type Random,
  type ServiceRequest,
  type ServiceResponse,
  seededRandom,
} from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { type ApiServerDependencies, createApiServer } from "../../src/api-server.ts";
import type { AccessRequest } from "../../src/auth/access.ts";
import { tokenKeyOf } from "../../src/auth/json-web-token.ts";
import type { UserInfo } from "../../src/auth/user.ts";
import type { ResourceRegistry } from "../../src/resource/resource-registry.ts";
import { createRegistry } from "../../src/resource/resource-registry.ts";
import type { ServedResource } from "../../src/resource/served-resource.ts";
import { storedObjects } from "../../src/resource/stored-objects.ts";
import { createObjectWriter } from "../../src/server/write/create-object-writer.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { gadget, note, servedKind } from "./writer-world.ts";

interface Call {
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; undefined if it is no JSON. */
  readonly json: Json;
}

/** Whatever a test looks for in an response. */
// biome-ignore lint/suspicious/noExplicitAny: responses are compared with expected values.
export type Json = any;

export interface ServerWorld {
  readonly service: HttpService;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly clock: VirtualClock;
  readonly unexpected: unknown[];
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /** Events of a watch, as they come. */
  watch(path: string, call?: Call): Promise<AsyncIterator<Json>>;
}

const allowed = { allowed: true, reason: "" };

/** A server with its store and a clock, in which members of `system:masters` may do everything. */
export function serverWorld(
  resources: readonly ServedResource[] = worldKinds,
  differences: Partial<ApiServerDependencies> = {},
): ServerWorld {
  const store = createMemoryStore();
  const registry = createRegistry();
  const clock = new VirtualClock();
  const random: Random = seededRandom(1);
  const unexpected: unknown[] = [];
  registry.replace("builtin", resources);
  const admission = () => ({ mutating: [], validating: [] });
  const service = createApiServer({
    store,
    registry,
    writer: createObjectWriter({
      store,
      registry,
      read: storedObjects(store, registry),
      clock,
      random,
      admission,
    }),
    authenticate: ({ headers }) => userOf(headers.authorization),
    authorize: ({ groups }: UserInfo, _access: AccessRequest) =>
      groups.includes("system:masters") ? allowed : { allowed: false, reason: "" },
    serviceAccountTokens: {
      issuer: "https://issuer.example",
      issue: ({ audiences }) => ({
        token: "a.b.c",
        expirationTimestamp: "2030-01-01T01:00:00Z",
        audiences,
      }),
      publicKey: () => tokenKeyOf(new Uint8Array(32)).jwk,
    },
    hasControllers: true,
    authenticateToken: (token) =>
      token === "good" ? { user: { username: "bob", groups: [] }, audiences: ["here"] } : undefined,
    tokenProblem: () => "invalid bearer token",
    rulesOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
    discovery: (path) => (path === "/version" ? { status: 200, headers: {}, body: "{}" } : undefined),
    clock,
    random,
    onUnexpectedError: (error) => unexpected.push(error),
    ...differences,
  });
  return {
    service,
    store,
    registry,
    clock,
    unexpected,
    call: async (method, path, call) => reply(await service(requestOf(method, path, call))),
    watch: async (path, call) => events(await service(requestOf("GET", path, call))),
  };
}

export const pod: ServedResource = servedKind("Pod", {
  subresources: new Map(
    ["status", "log", "exec", "eviction", "binding"].map((name) => [
      name,
      { name, verbs: ["get", "update", "patch", "create"], kind: "Pod" },
    ]),
  ),
});

const worldKinds: readonly ServedResource[] = [note, gadget, pod];

function userOf(authorization: string | undefined): UserInfo | undefined {
  if (authorization === "Bearer wrong") return undefined;
  if (authorization === "Bearer bob") return { username: "bob", groups: ["system:authenticated"] };
  return { username: "admin", groups: ["system:masters"] };
}

function requestOf(method: string, path: string, { body, headers = {}, signal }: Call = {}): ServiceRequest {
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  return {
    method,
    path,
    headers: { "user-agent": "tester/1.0", ...headers },
    body: bytes(text),
    signal: signal ?? new AbortController().signal,
  };
}

async function* bytes(text: string | undefined): AsyncGenerator<Uint8Array> {
  if (text !== undefined && text !== "") yield Buffer.from(text);
}

async function reply({ status, headers = {}, body }: ServiceResponse): Promise<Reply> {
  const text = await textOf(body);
  const lines = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
  return { status, headers: Object.fromEntries(lines), text, json: parsed(text) };
}

async function textOf(body: ServiceResponse["body"]): Promise<string> {
  if (body === undefined) return "";
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* events({ body }: ServiceResponse): AsyncGenerator<Json> {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    throw new Error(`no stream, but ${await textOf(body)}`);
  }
  for await (const chunk of body) {
    for (const line of Buffer.from(chunk).toString().split("\n")) if (line !== "") yield JSON.parse(line);
  }
}
