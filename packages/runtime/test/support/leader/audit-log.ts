import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A request in the audit log of the API server. */
export interface AuditedRequest {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
}

const policy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "Metadata",
      resources: [
        { group: "", resources: ["configmaps"] },
        { group: "coordination.k8s.io", resources: ["leases"] },
      ],
    },
    { level: "None" },
  ],
};

/** The writes that reached an API server, from its own audit log. */
export class AuditLog {
  readonly #file: string;
  /** Flags for the kube-apiserver. */
  readonly args: readonly string[];

  private constructor(file: string, policyFile: string) {
    this.#file = file;
    this.args = [
      `--audit-policy-file=${policyFile}`,
      `--audit-log-path=${file}`,
      "--audit-log-mode=blocking-strict",
    ];
  }

  static async in(folder: string): Promise<AuditLog> {
    const policyFile = join(folder, "audit-policy.json");
    await writeFile(policyFile, JSON.stringify(policy));
    return new AuditLog(join(folder, "audit.log"), policyFile);
  }

  /** The writes in a namespace, in the order in which the server received them. */
  async writes(namespace: string): Promise<readonly AuditedRequest[]> {
    const text = await readFile(this.#file, "utf8");
    const requests: AuditedRequest[] = text
      .slice(0, text.lastIndexOf("\n"))
      .split("\n")
      .map((line) => JSON.parse(line));
    return requests
      .filter(({ objectRef, verb }) => objectRef?.namespace === namespace && !isRead(verb))
      .sort((one, other) => timeOf(one) - timeOf(other));
  }
}

function isRead(verb: string): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}

/** The time of a request in milliseconds since 1970, with microseconds. */
export function timeOf({ requestReceivedTimestamp: time }: AuditedRequest): number {
  const micros = /\.\d{3}(\d{3})/.exec(time)?.[1] ?? "0";
  return Date.parse(time) + Number(micros) / 1000;
}
