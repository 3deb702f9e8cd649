import { isRecord } from "@keelson/core";
import type { ExecProblem } from "../errors.ts";
import { SettingProblem } from "../errors.ts";
import { type CertificateAndKey, checkPair } from "../pem.ts";

export interface ExecCredential {
  readonly token?: string;
  readonly certificate?: CertificateAndKey;
  /** Milliseconds since 1970. */
  readonly expiresAtMs?: number;
}

const mendPlugin = "run it by hand and report this to its makers";

/** Reads what a plugin printed; the problem, if there is one, quotes nothing of it. */
export function readExecCredential(stdout: string, apiVersion: string): ExecCredential | ExecProblem {
  const output = parseJson(stdout);
  if (!isRecord(output)) {
    const problem = stdout.trim() === "" ? "it printed nothing" : "its output is not a JSON object";
    return { failure: "not-json", problem, advice: "run it by hand to see what it prints" };
  }
  if (output.kind !== "ExecCredential") {
    return { failure: "wrong-kind", problem: "its output is not an ExecCredential", advice: mendPlugin };
  }
  if (output.apiVersion !== apiVersion) {
    const problem = `it does not print ${apiVersion}, which the kubeconfig requires`;
    return {
      failure: "wrong-version",
      problem,
      advice: "set the apiVersion that the plugin supports, or update the plugin",
    };
  }
  return readStatus(output.status);
}

/** Whether readExecCredential returned a problem instead of a credential. */
export function isProblem(result: ExecCredential | ExecProblem): result is ExecProblem {
  return "failure" in result;
}

function readStatus(status: unknown): ExecCredential | ExecProblem {
  if (!isRecord(status)) return invalid("its output has no status");
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  for (const value of [token, cert, key]) {
    if (value !== undefined && value !== null && typeof value !== "string") {
      return invalid("its status has a token, certificate or key that is not a string");
    }
  }
  if (!token && !cert && !key)
    return invalid("its status has neither a token nor a certificate with its key");
  if (Boolean(cert) !== Boolean(key)) return invalid("its status has only one of certificate and key");
  const expiresAtMs = parseTime(expirationTimestamp);
  if (Number.isNaN(expiresAtMs))
    return invalid("its expirationTimestamp is not a time such as 2026-01-31T12:00:00Z");
  const certificate = readPair(cert, key);
  if (certificate instanceof SettingProblem) return invalid(certificate.message);
  return {
    ...(typeof token === "string" && token !== "" && { token }),
    ...(certificate !== undefined && { certificate }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
}

function readPair(cert: unknown, key: unknown): CertificateAndKey | SettingProblem | undefined {
  if (typeof cert !== "string" || typeof key !== "string" || cert === "") return undefined;
  try {
    return checkPair("its output", { cert, key });
  } catch (error) {
    if (error instanceof SettingProblem) return error;
    throw error;
  }
}

/** Undefined for none, NaN for what is not RFC 3339. */
function parseTime(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const isTime =
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
  return isTime ? Date.parse(value) : Number.NaN;
}

function invalid(problem: string): ExecProblem {
  return { failure: "invalid-credential", problem, advice: mendPlugin };
}

/** Undefined for what is not JSON: the parser's own message quotes its input, which may be a token. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
