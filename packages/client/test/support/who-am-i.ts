import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import type { ClusterAccess } from "../../src/config/cluster-access.ts";

export interface Answer {
  readonly status: number;
  readonly userInfo?: {
    readonly username: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

/** Asks the API server whom it takes this access for, over a connection of its own. */
export async function whoAmI(access: ClusterAccess): Promise<Answer> {
  const { ca, cert, key, serverName, insecure } = await access.tls();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(
    `${access.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
    {
      method: "POST",
      agent: false,
      headers: { ...(await access.headers()), "content-type": "application/json" },
      ca,
      cert,
      key,
      servername: serverName,
      rejectUnauthorized: !insecure,
    },
    resolve,
  );
  outgoing.once("error", reject);
  outgoing.end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }));
  const response = await promise;
  const { status } = JSON.parse(await text(response));
  return { status: response.statusCode ?? 0, ...(status?.userInfo && { userInfo: status.userInfo }) };
}
