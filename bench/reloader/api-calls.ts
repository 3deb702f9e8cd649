import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The user that the subject connects as. The server's audit log has its requests and no others. */
export const subjectUser = "reloader";

const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", users: [subjectUser] }, { level: "None" }],
};

interface AuditedRequest {
  readonly auditID: string;
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** Requests of the subject in a period. */
export interface ApiCalls {
  readonly total: number;
  /** Requests that change objects; Events and reviews are left out. */
  readonly writes: number;
  /** The most frequent ones first, such as `patch deployments 32`. */
  readonly summary: string;
}

function nameOf({ verb, objectRef: { resource = "other", subresource } = {} }: AuditedRequest): string {
  return `${verb} ${resource}${subresource === undefined ? "" : `/${subresource}`}`;
}

/** Counts the requests of the subject by the audit log of kube-apiserver, the same way for every subject. */
export class ApiCallCounter {
  readonly #log: string;
  /** Flags of kube-apiserver. */
  readonly args: readonly string[];

  constructor(folder: string) {
    this.#log = join(folder, "audit.log");
    const policyFile = join(folder, "audit-policy.json");
    writeFileSync(policyFile, JSON.stringify(policy));
    this.args = [`--audit-policy-file=${policyFile}`, `--audit-log-path=${this.#log}`];
  }

  /** Requests that the server received in this period of `Date.now()`. A watch is one request. */
  async between(fromMs: number, toMs: number): Promise<ApiCalls> {
    const requests = (await this.#requests()).filter(({ requestReceivedTimestamp }) => {
      const atMs = Date.parse(requestReceivedTimestamp);
      return atMs >= fromMs && atMs < toMs;
    });
    const isWrite = ({ verb, objectRef }: AuditedRequest): boolean =>
      !["get", "list", "watch"].includes(verb) && !/^events$|reviews$/.test(objectRef?.resource ?? "");
    const byCall = Map.groupBy(requests, nameOf);
    const counts = [...byCall].map(([name, calls]) => ({ name, count: calls.length }));
    const frequent = counts.toSorted((a, b) => b.count - a.count).slice(0, 8);
    const summary = frequent.map(({ name, count }) => `${name} ${count}`).join(", ");
    return { total: requests.length, writes: requests.filter(isWrite).length, summary };
  }

  /** Whether the subject has opened a watch of the resource, such as `configmaps`, since the time. */
  async isWatching(resource: string, sinceMs: number): Promise<boolean> {
    return (await this.#requests()).some(
      ({ verb, objectRef, requestReceivedTimestamp }) =>
        verb === "watch" &&
        objectRef?.resource === resource &&
        Date.parse(requestReceivedTimestamp) >= sinceMs,
    );
  }

  /** Each request once, although those that last have two entries. */
  async #requests(): Promise<readonly AuditedRequest[]> {
    const text = await readFile(this.#log, "utf8").catch(() => "");
    const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
    const requests = lines.flatMap((line): readonly AuditedRequest[] =>
      line === "" ? [] : [JSON.parse(line)],
    );
    return [...new Map(requests.map((request) => [request.auditID, request])).values()];
  }
}
