import { deepEqual } from "@keelson/core";
import type { CertificateSigningRequest } from "@keelson/core/kinds/certificates/v1";
import type { Authorize } from "../auth/access.ts";
import { parseSigningRequest, SigningRequestError } from "../auth/certificates/signing-request.ts";
import { privilegedGroup } from "../auth/rbac.ts";
import type { UserInfo } from "../auth/user.ts";
import { decoded } from "../resource/mutable-object.ts";
import type { AdmissionRequest, ValidatingAdmission } from "./admission.ts";
import { refused } from "./admission.ts";

const group = "certificates.k8s.io";
const clientSigner = "kubernetes.io/kube-apiserver-client";

function isSigningRequest({ resource }: AdmissionRequest): boolean {
  return resource.group === group && resource.plural === "certificatesigningrequests";
}

/** A user may approve or deny the requests of signers for which the user has the verb `approve`. */
export function certificateApproval(authorize: Authorize): ValidatingAdmission {
  return {
    name: "CertificateApproval",
    validate(request) {
      const { operation, subresource, user, oldObject } = request;
      if (!isSigningRequest(request) || subresource !== "approval" || operation !== "UPDATE") return;
      if (oldObject === undefined) return;
      const { signerName } = decoded<CertificateSigningRequest>(oldObject).spec;
      if (maySign(authorize, user, "approve", signerName)) return;
      const why = `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`;
      throw refused(request, oldObject, why);
    },
  };
}

/** A user may set the certificates and conditions of signers for which the user has the verb `sign`. */
export function certificateSigning(authorize: Authorize): ValidatingAdmission {
  return {
    name: "CertificateSigning",
    validate(request, object) {
      const { operation, subresource, user, oldObject } = request;
      if (!isSigningRequest(request) || subresource !== "status" || operation !== "UPDATE") return;
      if (oldObject === undefined || object === undefined) return;
      const old = decoded<CertificateSigningRequest>(oldObject);
      const { status } = decoded<CertificateSigningRequest>(object);
      const isSame =
        status?.certificate === old.status?.certificate &&
        deepEqual(status?.conditions ?? [], old.status?.conditions ?? []);
      const { signerName } = old.spec;
      if (isSame || maySign(authorize, user, "sign", signerName)) return;
      const why = `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`;
      throw refused(request, oldObject, why);
    },
  };
}

/** No request for a client certificate may name the group that may do everything. */
export const certificateSubjectRestriction: ValidatingAdmission = {
  name: "CertificateSubjectRestriction",
  validate(request, object) {
    const { operation, subresource } = request;
    if (!isSigningRequest(request) || subresource !== undefined || operation !== "CREATE") return;
    if (object === undefined) return;
    const { spec } = decoded<CertificateSigningRequest>(object);
    if (spec.signerName !== clientSigner) return;
    if (!organizationsOf(request, spec.request).includes(privilegedGroup)) return;
    throw refused(
      request,
      object,
      `use of ${clientSigner} signer with ${privilegedGroup} group is not allowed`,
    );
  },
};

function organizationsOf(request: AdmissionRequest, encoded: string): readonly string[] {
  try {
    return parseSigningRequest(Buffer.from(encoded, "base64").toString("latin1")).subject.organizations;
  } catch (error) {
    if (!(error instanceof SigningRequestError)) throw error;
    throw refused(request, undefined, `failed to parse CSR: ${error.message}`);
  }
}

/** Whether the user has a verb on a signer, or on all signers of its domain. */
function maySign(
  authorize: Authorize,
  user: UserInfo,
  verb: "approve" | "sign",
  signerName: string,
): boolean {
  const [domain = ""] = signerName.split("/");
  return [signerName, `${domain}/*`].some(
    (name) => authorize(user, { verb, group, version: "*", resource: "signers", name }).allowed,
  );
}
