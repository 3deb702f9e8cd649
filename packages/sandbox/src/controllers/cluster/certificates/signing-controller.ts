import { formatTime, keyOf, type Stored } from "@keelson/core";
import {
  CertificateSigningRequest,
  type CertificateSigningRequestCondition,
} from "@keelson/core/kinds/certificates/v1";
import type { CertificateIssuer } from "../../../auth/certificates/issue-certificate.ts";
import { kubeletClientProblem, kubeletServingProblem } from "../../../auth/certificates/kubelet-request.ts";
import { parseSigningRequest, type SigningRequest } from "../../../auth/certificates/signing-request.ts";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";

type Request = Stored<CertificateSigningRequest>;

/** Why a signer cannot sign a request; undefined if it can. */
type SignerRule = (request: SigningRequest, usages: readonly string[]) => string | undefined;

const signers: Readonly<Record<string, SignerRule>> = {
  "kubernetes.io/kube-apiserver-client": (_request, usages) => clientUsagesProblem(usages),
  "kubernetes.io/kube-apiserver-client-kubelet": kubeletClientProblem,
  "kubernetes.io/kubelet-serving": kubeletServingProblem,
  "kubernetes.io/legacy-unknown": () => undefined,
};

const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;
const leastMs = 10 * minuteMs;
/** Certificates are valid a little earlier, for clocks that are behind. */
const backdateMs = 5 * minuteMs;
const shortMs = 8 * 60 * minuteMs;

/** Signs approved CertificateSigningRequests of the signers of Kubernetes. */
export function certificateSigner(issuer: CertificateIssuer): StartController {
  return (context) => {
    const loop = startKeyLoop({
      name: "certificatesigningrequest-signing-controller",
      context,
      async reconcile(key) {
        const request = context.objects.get(CertificateSigningRequest, parseLoopKey(key));
        if (request !== undefined) await signRequest(context, issuer, request);
      },
    });
    const stopWatch = context.watch(CertificateSigningRequest, ({ type, object }) => {
      if (type !== "DELETED") loop.enqueue(loopKey(object));
    });
    return async () => {
      stopWatch();
      await loop.stop();
    };
  };
}

async function signRequest(
  { objects, clock }: ControllerContext,
  issuer: CertificateIssuer,
  request: Request,
): Promise<void> {
  const { spec, status = {} } = request;
  const { conditions = [], certificate = "" } = status;
  const has = (wanted: string): boolean => conditions.some(({ type }) => type === wanted);
  if (certificate !== "" || !has("Approved") || has("Denied") || has("Failed")) return;
  const rule = signers[spec.signerName];
  if (rule === undefined) return;
  const parsed = parseSigningRequest(Buffer.from(spec.request, "base64").toString("latin1"));
  const now = clock.now();
  const problem = rule(parsed, spec.usages ?? []);
  const next =
    problem === undefined
      ? { ...status, certificate: toBase64(issuer.issue(parsed, termsOf(request, now))) }
      : { ...status, conditions: [...conditions, failure(problem, now)] };
  const options = { manager: controllerManager, subresource: "status" };
  await objects.update(CertificateSigningRequest, { ...request, status: next }, options);
}

function termsOf({ spec }: Request, now: number) {
  const requestedMs = (spec.expirationSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const durationMs = Math.max(leastMs, Math.min(requestedMs, yearMs));
  const endMs = durationMs < shortMs ? durationMs : durationMs - backdateMs;
  return { usages: spec.usages ?? [], notBefore: now - backdateMs, notAfter: now + endMs };
}

function failure(message: string, now: number): CertificateSigningRequestCondition {
  return {
    type: "Failed",
    status: "True",
    reason: "SignerValidationFailure",
    message,
    lastUpdateTime: formatTime(now),
  };
}

function clientUsagesProblem(usages: readonly string[]): string | undefined {
  const allowed = ["client auth", "digital signature", "key encipherment"];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth")
    ? undefined
    : "missing required usage for client certificate: client auth";
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

const pendingMs = 24 * 60 * minuteMs;
const decidedMs = 60 * minuteMs;

/** Deletes CertificateSigningRequests that were decided an hour ago, or that wait for a day. */
export const startRequestCleaner: StartController = (context) => {
  const { objects, clock } = context;
  const loop = startKeyLoop({
    name: "certificatesigningrequest-cleaner-controller",
    context,
    async reconcile(key) {
      const request = objects.get(CertificateSigningRequest, parseLoopKey(key));
      if (request === undefined) return;
      const left = expiryOf(request) - clock.now();
      if (left > 0) loop.enqueueAfter(key, left);
      else await objects.delete(CertificateSigningRequest, keyOf(request), { manager: controllerManager });
    },
  });
  const stopWatch = context.watch(CertificateSigningRequest, ({ type, object }) => {
    if (type !== "DELETED") loop.enqueue(loopKey(object));
  });
  return async () => {
    stopWatch();
    await loop.stop();
  };
};

function expiryOf({ metadata, status }: Request): number {
  const { conditions = [], certificate = "" } = status ?? {};
  if (conditions.length === 0) return Date.parse(metadata.creationTimestamp ?? "") + pendingMs;
  const times = conditions.map(({ type, lastUpdateTime = "" }) => {
    if (type === "Denied" || type === "Failed") return Date.parse(lastUpdateTime) + decidedMs;
    if (type !== "Approved") return Number.POSITIVE_INFINITY;
    return Date.parse(lastUpdateTime) + (certificate === "" ? pendingMs : decidedMs);
  });
  return Math.min(...times);
}
