import type { AlternativeNameType, SigningRequest } from "./signing-request.ts";

const nodesGroup = "system:nodes";
const nodePrefix = "system:node:";

/** Why a request is not one for the client certificate of a kubelet; undefined if it is one. */
export function kubeletClientProblem(request: SigningRequest, usages: readonly string[]): string | undefined {
  const { subject, alternativeNames } = request;
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  for (const [type, title] of titles) {
    if (alternativeNames.some((name) => name.type === type)) {
      return `${title} subjectAltNames are not allowed`;
    }
  }
  if (!subject.commonName.startsWith(nodePrefix)) return wrongName;
  return usagesProblem(usages, ["client auth", "digital signature", "key encipherment"]);
}

/** Why a request is not one for the serving certificate of a kubelet; undefined if it is one. */
export function kubeletServingProblem(
  request: SigningRequest,
  usages: readonly string[],
): string | undefined {
  const { subject, alternativeNames } = request;
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  const has = (wanted: AlternativeNameType): boolean => alternativeNames.some(({ type }) => type === wanted);
  if (!has("dns") && !has("ip")) return "DNS or IP subjectAltName is required";
  if (has("email")) return "Email subjectAltNames are not allowed";
  if (has("uri")) return "URI subjectAltNames are not allowed";
  const problem = usagesProblem(usages, ["digital signature", "key encipherment", "server auth"]);
  return problem ?? (subject.commonName.startsWith(nodePrefix) ? undefined : wrongName);
}

const wrongName = "subject common name does not begin with system:node:";

const titles: readonly (readonly [type: AlternativeNameType, title: string])[] = [
  ["dns", "DNS"],
  ["email", "Email"],
  ["ip", "IP"],
  ["uri", "URI"],
];

function isOfNodes({ subject }: SigningRequest): boolean {
  const [only, ...rest] = subject.organizations;
  return only === nodesGroup && rest.length === 0;
}

/** Keys that are not RSA keys cannot encipher, so this usage is optional. */
function usagesProblem(given: readonly string[], expected: readonly string[]): string | undefined {
  const usages = new Set(given);
  const missing = expected.filter((usage) => !usages.has(usage) && usage !== "key encipherment");
  const isExact = missing.length === 0 && given.every((usage) => expected.includes(usage));
  return isExact ? undefined : `usages did not match [${expected.join(" ")}]`;
}
