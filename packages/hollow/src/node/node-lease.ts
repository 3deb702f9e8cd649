import { AlreadyExistsError, type Client, mergePatch, NotFoundError, type Stored } from "keelson";
import type { ObjectToWrite } from "keelson/client";
import { Lease } from "keelson/kinds/coordination/v1";
import { Node } from "keelson/kinds/core/v1";
import { ownerReferenceTo } from "keelson/object";

/** Where the node lifecycle controller looks for the heartbeats of nodes. */
const leaseNamespace = "kube-node-lease";

/** As the kubelet has it. */
const leaseDurationSeconds = 40;

/** The heartbeat of the node. The Lease is deleted with the Node. */
export async function renewLease(
  client: Client,
  node: Stored<Node>,
  nowMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const call = signal === undefined ? {} : { signal };
  const { name } = node.metadata;
  const spec = { holderIdentity: name, leaseDurationSeconds, renewTime: formatMicroTime(nowMs) };
  try {
    await client.patch(Lease, { namespace: leaseNamespace, name }, mergePatch({ spec }), call);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    await client.create(Lease, makeLease(node, spec), call).catch((refusal: unknown) => {
      if (!(refusal instanceof AlreadyExistsError)) throw refusal;
      // Another program with a node of the same name was faster.
      return renewLease(client, node, nowMs, signal);
    });
  }
}

function makeLease(node: Stored<Node>, spec: NonNullable<Lease["spec"]>): ObjectToWrite<Lease> {
  const owner = ownerReferenceTo({ object: node, resource: Node });
  return { metadata: { name: owner.name, namespace: leaseNamespace, ownerReferences: [owner] }, spec };
}

/** The timestamp format of Leases: RFC 3339, in UTC, with six decimals. */
function formatMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
