import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { Cbor } from "@icp-sdk/core/agent";
import { Principal } from "@icp-sdk/core/principal";
import { type Clock, systemClock } from "keelson";
import { type Envelope, readEnvelope } from "./envelope.ts";
import { type Branches, branches, leaf } from "./hash-tree.ts";
import { Network, type NetworkOptions, type RangesFormat } from "./network.ts";
import { TrapError, VaultCanister, type VaultLists } from "./vault-canister.ts";
import { argumentsOf, encodeStatus, runMethod } from "./vault-methods.ts";

export interface CanisterServerOptions extends Omit<NetworkOptions, "canisterId"> {
  /** Default: rrkah-fqaaa-aaaaa-aaaaq-cai. */
  readonly canisterId?: string;
  /** The time of the network. Default: that of the machine. */
  readonly clock?: Clock;
  /**
   * Whether a call returns its result, or is accepted and has to be polled for, or the host only knows the oldest
   * endpoint for calls. Default: Result.
   */
  readonly calls?: "Result" | "Accepted" | "Old";
}

/** What goes wrong with a response. */
export type CanisterFault =
  /** The certificate is signed with another key. */
  | { readonly type: "WrongSignature" }
  /** The certificate is about another canister. */
  | { readonly type: "OtherCanister" }
  /** The certificate is so old; less than 0: so far in the future. */
  | { readonly type: "Age"; readonly seconds: number }
  /** The lists are not those that were certified. */
  | { readonly type: "TamperedLists"; readonly tamper: (lists: VaultLists) => VaultLists }
  | { readonly type: "NoCertificate" }
  /** The connection ends in the middle of the body. */
  | { readonly type: "CutBody" }
  /** There is no response. */
  | { readonly type: "Hang" }
  /** No body, but a status. */
  | { readonly type: "Status"; readonly status: number; readonly text?: string }
  /** The body is no CBOR, or other bytes. */
  | { readonly type: "Body"; readonly body: Uint8Array }
  /** The reply of the canister to a query is this Candid message. */
  | { readonly type: "Reply"; readonly arg: Uint8Array }
  /** The network rejects the request. */
  | { readonly type: "Rejected"; readonly message: string };

type Endpoint = "query" | "call" | "read_state" | "status";

interface CanisterRequest {
  readonly endpoint: Endpoint;
  /** Such as `v3`. */
  readonly version: string;
  /** Of a query or a call. */
  readonly method?: string;
  readonly args?: readonly unknown[];
  /** The principal that signed it; undefined without an envelope. */
  readonly sender?: string;
}

/** A host with one canister, on a loopback address. */
export interface CanisterServer extends AsyncDisposable {
  readonly url: string;
  readonly canisterId: string;
  /** In DER. */
  readonly rootKey: Uint8Array;
  readonly canister: VaultCanister;
  /** Faults of the endpoints that have one; they stay until they are deleted. */
  readonly faults: Map<Endpoint, CanisterFault>;
  /** All requests, the first one first. */
  readonly requests: readonly CanisterRequest[];
  /** How many connections are open. */
  readonly connections: number;
  /** From now on connections are refused, and those that are open end. */
  stop(): Promise<void>;
  /** Serves again after a stop, at the same address and with the same state. */
  restart(): Promise<void>;
}

/** Starts a host that speaks the protocol of the Internet Computer, with keys of its own. */
export async function startCanisterServer(options: CanisterServerOptions = {}): Promise<CanisterServer> {
  const host = new Host(options);
  const server = createServer((request, response) => void host.respond(request, response));
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    socket.on("close", () => connections--);
  });
  // Connections that a client keeps are seen.
  server.keepAliveTimeout = 600_000;
  const listen = async (at: number): Promise<void> => {
    server.listen(at, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    canisterId: host.canisterId.toText(),
    rootKey: host.network.rootKey,
    canister: host.canister,
    faults: host.faults,
    requests: host.requests,
    get connections() {
      return connections;
    },
    stop,
    restart: async () => {
      if (!server.listening) await listen(port);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** A response of a status and, unless it is empty, a body in CBOR. */
interface HostResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

/** What became of a call: nothing yet for a while, then its result. */
interface CallResult {
  readonly status: Branches;
  pollsLeft: number;
}

class Host {
  readonly canisterId: Principal;
  readonly network: Network;
  readonly canister: VaultCanister;
  readonly faults = new Map<Endpoint, CanisterFault>();
  readonly requests: CanisterRequest[] = [];
  readonly #clock: Clock;
  readonly #calls: CanisterServerOptions["calls"];
  readonly #results = new Map<string, CallResult>();

  constructor({
    canisterId = "rrkah-fqaaa-aaaaa-aaaaq-cai",
    clock = systemClock,
    calls = "Result",
    ...network
  }: CanisterServerOptions) {
    this.canisterId = Principal.fromText(canisterId);
    this.network = new Network({ ...network, canisterId: this.canisterId });
    this.canister = new VaultCanister(clock);
    this.#clock = clock;
    this.#calls = calls;
  }

  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The CBOR decoder of the SDK takes a Buffer for the whole of what it is a part of.
    const body = Uint8Array.from(await buffer(request));
    const [, version = "", canisterId, endpoint] =
      /^\/api\/(v\d)\/(?:canister\/([^/]+)\/(query|call|read_state)|status)$/.exec(request.url ?? "") ?? [];
    try {
      if (canisterId === undefined) this.#send(response, "status", this.#status(version));
      else if (endpoint === "query" || endpoint === "call" || endpoint === "read_state")
        this.#send(response, endpoint, this.#process(endpoint, version, readEnvelope(body)));
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  }

  #send(response: ServerResponse, endpoint: Endpoint, { status, body }: HostResponse): void {
    const fault = this.faults.get(endpoint);
    const type = { "content-type": "application/cbor" };
    switch (fault?.type) {
      case "Hang":
        break;
      case "Status":
        response.writeHead(fault.status).end(fault.text);
        break;
      case "Body":
        response.writeHead(200, type).end(fault.body);
        break;
      case "CutBody":
        response.writeHead(200, { ...type, "content-length": body.length });
        response.write(body.subarray(0, body.length / 2), () => response.destroy());
        break;
      default:
        response.writeHead(status, type).end(body);
    }
  }

  #status(version: string): HostResponse {
    this.requests.push({ endpoint: "status", version });
    const body = { root_key: this.network.rootKey, replica_health_status: "healthy" };
    return { status: 200, body: Cbor.encode(body) };
  }

  #process(endpoint: "query" | "call" | "read_state", version: string, envelope: Envelope): HostResponse {
    const { content, sender } = envelope;
    if (content.request_type !== endpoint)
      throw new Error(`a ${content.request_type} was sent to ${endpoint}`);
    if (content.request_type === "read_state") {
      this.requests.push({ endpoint, version, sender });
      return this.#readState(content.paths);
    }
    const { method_name: method, arg } = content;
    this.requests.push({ endpoint, version, sender, method, args: argumentsOf({ method, arg }) });
    if (content.request_type === "query") return this.#query(method);
    if (this.#calls === "Old" && version !== "v2") return { status: 404, body: Buffer.alloc(0) };
    return this.#call(version, { method, arg, sender }, envelope.requestId);
  }

  #query(method: string): HostResponse {
    const fault = this.faults.get("query");
    if (fault?.type === "Rejected") return rejection(fault.message);
    if (method !== "get_certified_status") return rejection(`Canister has no query method '${method}'`);
    const lists = this.canister.lists;
    const arg =
      fault?.type === "Reply"
        ? fault.arg
        : encodeStatus(
            fault?.type === "TamperedLists" ? fault.tamper(lists) : lists,
            fault?.type === "NoCertificate" ? undefined : this.#dataCertificate(fault),
          );
    return { status: 200, body: Cbor.encode({ status: "replied", reply: { arg }, signatures: [] }) };
  }

  #dataCertificate(fault: CanisterFault | undefined): Uint8Array {
    const id =
      fault?.type === "OtherCanister" ? Principal.fromText("ryjl3-tyaaa-aaaaa-aaaba-cai") : this.canisterId;
    const own = branches([["certified_data", leaf(this.canister.certifiedData)]]);
    return this.#certify([["canister", branches([[id.toUint8Array(), own]])]], "Flat", fault);
  }

  #call(
    version: string,
    call: { readonly method: string; readonly arg: Uint8Array; readonly sender: string },
    requestId: Uint8Array,
  ): HostResponse {
    const fault = this.faults.get("call");
    if (fault?.type === "Rejected") return rejection(fault.message);
    const isAccepted = this.#calls === "Accepted" || version === "v2";
    const result = { status: this.#run(call), pollsLeft: isAccepted ? 1 : 0 };
    this.#results.set(Buffer.from(requestId).toString("hex"), result);
    if (isAccepted) return { status: 202, body: Buffer.alloc(0) };
    const certificate = this.#certify(this.#requestStatus(requestId), "Sharded", fault);
    return { status: 200, body: Cbor.encode({ status: "replied", certificate }) };
  }

  #run(call: { readonly method: string; readonly arg: Uint8Array; readonly sender: string }): Branches {
    try {
      return [
        ["status", leaf("replied")],
        ["reply", leaf(runMethod(this.canister, call))],
      ];
    } catch (error) {
      if (!(error instanceof TrapError)) throw error;
      return [
        ["status", leaf("rejected")],
        ["reject_code", leaf(Uint8Array.from([5]))],
        ["reject_message", leaf(error.message)],
        ["error_code", leaf("IC0503")],
      ];
    }
  }

  #readState(paths: readonly (readonly Uint8Array[])[]): HostResponse {
    const [name, requestId = new Uint8Array()] = paths[0] ?? [];
    const isStatus = Buffer.from(name ?? []).toString() === "request_status";
    const content = isStatus ? this.#requestStatus(requestId) : [];
    const certificate = this.#certify(content, "Sharded", this.faults.get("read_state"));
    return { status: 200, body: Cbor.encode({ certificate }) };
  }

  #requestStatus(requestId: Uint8Array): Branches {
    const result = this.#results.get(Buffer.from(requestId).toString("hex"));
    if (result === undefined) return [];
    const isReady = result.pollsLeft === 0;
    if (!isReady) result.pollsLeft--;
    const status: Branches = isReady ? result.status : [["status", leaf("processing")]];
    return [["request_status", branches([[requestId, branches(status)]])]];
  }

  #certify(content: Branches, format: RangesFormat, fault: CanisterFault | undefined): Uint8Array {
    return this.network.certify(content, this.#clock.now(), format, {
      isForged: fault?.type === "WrongSignature",
      ...(fault?.type === "Age" && { ageSeconds: fault.seconds }),
    });
  }
}

function rejection(message: string): HostResponse {
  const body = { status: "rejected", reject_code: 5, reject_message: message, error_code: "IC0503" };
  return { status: 200, body: Cbor.encode(body) };
}
