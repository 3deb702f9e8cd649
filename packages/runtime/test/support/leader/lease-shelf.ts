import type { Transport, TransportRequest, TransportResponse } from "@keelson/core";
import type { Lease } from "@keelson/core/kinds/coordination/v1";

/**
 * Keeps one Lease and gives it back: all that an undisturbed election needs of a server. It checks nothing; what a server
 * refuses is the business of faults in front of it.
 */
export class LeaseShelf implements Transport {
  lease: Lease | undefined;

  async send({ method, body }: TransportRequest): Promise<TransportResponse> {
    if (method !== "GET" && body !== undefined) this.lease = JSON.parse(body);
    const answer = this.lease ?? { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound" };
    const text = JSON.stringify(answer);
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
