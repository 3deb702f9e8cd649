import type { Definition } from "./definition.ts";
import type { Verdict } from "./definition-conditions.ts";

/** The annotation that definitions of the groups of Kubernetes need. */
export const approvalAnnotation = "api-approved.kubernetes.io";

const policy = "see https://github.com/kubernetes/enhancements/pull/1111";

/** The approval of a definition whose group belongs to Kubernetes; undefined for other groups. */
export function apiApproval({ metadata, spec }: Definition): ApiApproval | undefined {
  const group = spec.group ?? "";
  const isProtected = ["k8s.io", "kubernetes.io"].some(
    (domain) => group === domain || group.endsWith(`.${domain}`),
  );
  if (!isProtected) return undefined;
  const value = metadata.annotations?.[approvalAnnotation] ?? "";
  const needed = `protected groups must have approval annotation "${approvalAnnotation}"`;
  if (value === "") return { state: "missing", message: `${needed}, ${policy}` };
  if (value.startsWith("unapproved")) {
    return { state: "unapproved", message: `not approved: ${JSON.stringify(value)}` };
  }
  if (hasSchemeAndHost(value)) return { state: "approved", message: `approved in ${value}` };
  const forms = 'with either a URL or a reason starting with "unapproved"';
  return { state: "invalid", message: `${needed} ${forms}, ${policy}` };
}

export interface ApiApproval {
  readonly state: "approved" | "unapproved" | "missing" | "invalid";
  readonly message: string;
}

function hasSchemeAndHost(value: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]+/.test(value) && URL.canParse(value);
}

const reasons: Readonly<Record<ApiApproval["state"], string>> = {
  approved: "ApprovedAnnotation",
  unapproved: "UnapprovedAnnotation",
  missing: "MissingAnnotation",
  invalid: "InvalidAnnotation",
};

/** The condition of a definition whose group belongs to Kubernetes; undefined for other groups. */
export function approvalVerdict(definition: Definition): Verdict | undefined {
  const approval = apiApproval(definition);
  if (approval === undefined) return undefined;
  const { state, message } = approval;
  return {
    type: "KubernetesAPIApprovalPolicyConformant",
    status: state === "approved" ? "True" : "False",
    reason: reasons[state],
    message,
  };
}
