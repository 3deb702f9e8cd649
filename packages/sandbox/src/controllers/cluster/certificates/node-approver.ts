import type { Stored } from "@keelson/core";
import { CertificateSigningRequest } from "@keelson/core/kinds/certificates/v1";
import type { Authorize } from "../../../auth/access.ts";
import { kubeletClientProblem } from "../../../auth/certificates/kubelet-request.ts";
import { parseSigningRequest } from "../../../auth/certificates/signing-request.ts";
import { type ControllerContext, controllerManager, type StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";

const kubeletSigner = "kubernetes.io/kube-apiserver-client-kubelet";

/** Approves requests for the client certificates of kubelets, if RBAC allows the requester to make them. */
export function nodeApprover(authorize: Authorize): StartController {
  return (context) => {
    const loop = startKeyLoop({
      name: "certificatesigningrequest-approving-controller",
      context,
      async reconcile(key) {
        const request = context.objects.get(CertificateSigningRequest, parseLoopKey(key));
        if (request !== undefined) await approve(context, authorize, request);
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

async function approve(
  { objects }: ControllerContext,
  authorize: Authorize,
  request: Stored<CertificateSigningRequest>,
): Promise<void> {
  const { spec, status = {} } = request;
  const { conditions = [], certificate = "" } = status;
  if (certificate !== "" || conditions.some(({ type }) => type === "Approved" || type === "Denied")) return;
  if (spec.signerName !== kubeletSigner) return;
  const parsed = parseSigningRequest(Buffer.from(spec.request, "base64").toString("latin1"));
  if (kubeletClientProblem(parsed, spec.usages ?? []) !== undefined) return;
  const may = (subresource: string): boolean => isAllowed(authorize, request, subresource);
  const isSelf = spec.username === parsed.subject.commonName;
  if (isSelf && may("selfnodeclient")) await update("self kubelet client certificate");
  else if (may("nodeclient")) await update("kubelet client certificate");

  async function update(what: string): Promise<void> {
    const message = `Auto approving ${what} after SubjectAccessReview.`;
    const approval = { type: "Approved", status: "True", reason: "AutoApproved", message };
    await objects.update(
      CertificateSigningRequest,
      { ...request, status: { ...status, conditions: [...conditions, approval] } },
      { manager: controllerManager, subresource: "approval" },
    );
  }
}

function isAllowed(
  authorize: Authorize,
  { spec }: Stored<CertificateSigningRequest>,
  subresource: string,
): boolean {
  const { username = "", groups = [], uid, extra } = spec;
  const user = { username, groups, ...(uid !== undefined && { uid }), ...(extra !== undefined && { extra }) };
  return authorize(user, {
    verb: "create",
    group: "certificates.k8s.io",
    version: "*",
    resource: "certificatesigningrequests",
    subresource,
  }).allowed;
}
