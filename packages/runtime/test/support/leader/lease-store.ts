import type { Transport, TransportRequest, TransportResponse } from "@keelson/core";
import type { Lease } from "@keelson/core/kinds/coordination/v1";

/**
 * A transport that stores one Lease and returns it: all that an election without faults needs of a server. It checks
 * nothing; a test that needs a refusal injects a fault.
 */
export class LeaseStore implements Transport {
  lease: Lease | undefined;

  async send({ method, body }: TransportRequest): Promise<TransportResponse> {
    if (method !== "GET" && body !== undefined) this.lease = JSON.parse(body);
    const response = this.lease ?? {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "NotFound",
    };
    const text = JSON.stringify(response);
    const head = {
      status: this.lease === undefined ? 404 : 200,
      headers: { "content-type": "application/json" },
    };
    return { ...head, body: oneChunk(text) };
  }

  async close(): Promise<void> {}
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
