import { dnsSubdomainProblem } from "@keelson/core";
import type { CustomResourceDefinitionVersion } from "@keelson/core/kinds/apiextensions/v1";
import type { SchemaProblem } from "../errors.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

/** Takes note of something wrong with a part of the definition. */
export type Report = (path: string, problem: string, remedy: string) => void;

export function reporter(problems: SchemaProblem[]): Report {
  return (path, problem, remedy) => {
    problems.push({ path, problem, remedy });
  };
}

/** RFC 1035: unlike most names in Kubernetes, these must start with a letter. */
const dnsLabel = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const camelCase = /^[A-Z][A-Za-z0-9]{0,62}$/;
/** Groups of the Kubernetes project; the server requires the link to their approval. */
const communityGroup = /(^|\.)(k8s|kubernetes)\.io$/;
const approval = "api-approved.kubernetes.io";

/** The names a kind goes by must be ones that DNS, paths and kubectl can carry. */
export function checkNames(
  definition: ResourceDefinition,
  names: { readonly plural: string; readonly singular: string },
  report: Report,
): void {
  const { group, version, kind, shortNames = [], categories = [], annotations = {} } = definition;
  if (dnsSubdomainProblem(group) !== undefined || !group.includes(".")) {
    report(
      "group",
      `${JSON.stringify(group)} is not a domain with at least one dot`,
      "use a domain of yours",
    );
  } else if (communityGroup.test(group) && annotations[approval] === undefined) {
    report(
      "group",
      `${group} belongs to the Kubernetes project`,
      `use a domain of yours, or set the annotation ${approval}`,
    );
  }
  if (!camelCase.test(kind)) {
    report("kind", `${JSON.stringify(kind)} is not CamelCase of letters and digits`, "write it like WebApp");
  }
  const labels: readonly (readonly [path: string, label: string])[] = [
    ["version", version],
    ["plural", names.plural],
    ["singular", names.singular],
    ...shortNames.map((name, index) => [`shortNames[${index}]`, name] as const),
    ...categories.map((name, index) => [`categories[${index}]`, name] as const),
  ];
  for (const [path, label] of labels) {
    if (!dnsLabel.test(label)) {
      report(
        path,
        `${JSON.stringify(label)} is not a DNS label`,
        "use lower-case letters, digits and dashes",
      );
    }
  }
}

/** The versions of one kind must agree on what the kind is, and objects are stored in one of them. */
export function checkVersions(
  definition: ResourceDefinition,
  plural: string,
  made: readonly CustomResourceDefinitionVersion[],
  report: Report,
): void {
  const { group, kind, scope = "Namespaced", versions = [] } = definition;
  for (const [index, other] of versions.entries()) {
    const isSame =
      other.group === group && other.kind === kind && other.scope === scope && other.plural === plural;
    if (!isSame)
      report(`versions[${index}]`, "is of another group, kind, plural or scope", "define them alike");
    if ((other.definition.versions ?? []).length > 0) {
      report(`versions[${index}]`, "has versions of its own", "list all of them in one definition");
    }
  }
  const names = made.map(({ name }) => name);
  if (new Set(names).size < names.length) {
    report("versions", `names a version twice: ${names.join(", ")}`, "leave one out");
  }
  const stored = made.filter(({ storage }) => storage).map(({ name }) => name);
  if (stored.length !== 1) {
    report(
      "storage",
      `objects would be stored in ${stored.join(" and ") || "no version"}`,
      "choose one version",
    );
  }
  const { deprecated } = definition;
  if (
    typeof deprecated === "string" &&
    (deprecated === "" || deprecated.length > 256 || /\p{Cc}/u.test(deprecated))
  ) {
    report("deprecated", "the warning is not one line of 1 to 256 characters", "shorten it");
  }
}
