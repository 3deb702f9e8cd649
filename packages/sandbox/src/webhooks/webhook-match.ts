import { type LabelSelector, matchesLabels } from "@keelson/core";
import type {
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
} from "@keelson/core/kinds/admissionregistration/v1";
import type { AdmissionRequest } from "../admission/admission.ts";
import {
  type ServiceAccountName,
  serviceAccountGroups,
  serviceAccountUsername,
  type UserInfo,
} from "../auth/user.ts";
import { evaluateCondition } from "../cel/evaluate-condition.ts";
import type { AskAccess } from "../cel/functions/authorizer.ts";
import { convertToVersion } from "../resource/convert-object.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import { forbidden, notFound } from "../status/api-error.ts";
import type { WebhookDependencies } from "./call-webhook.ts";
import { requestJson, type SeenWrite } from "./review-request.ts";
import { type Candidate, isScale } from "./scale-view.ts";
import { admissionGroup } from "./webhook-source.ts";

/** Webhooks are not called for their own configurations: a mistake could not be corrected. */
const exempt: ReadonlySet<string> = new Set(
  [
    "mutatingwebhookconfigurations",
    "validatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
  ].map((plural) => `${plural}.${admissionGroup}`),
);

export function isExempt({ resource }: AdmissionRequest): boolean {
  return exempt.has(resource.collection);
}

/** A write as a webhook sees it; undefined if it does not match. Throws ApiError if that cannot be decided. */
export function seenBy(
  hook: MutatingWebhook | ValidatingWebhook,
  candidate: Candidate,
  dependencies: WebhookDependencies,
): SeenWrite | undefined | Promise<SeenWrite | undefined> {
  const { request, object } = candidate;
  const inNamespace = namespaceMatches(hook.namespaceSelector, candidate, dependencies);
  if (inNamespace === false || !objectMatches(hook.objectSelector, candidate)) return undefined;
  const resource = matchedResource(hook, request, dependencies);
  if (resource === undefined) return undefined;
  if (inNamespace === "missing") {
    throw notFound({ group: "", plural: "namespaces" }, request.namespace ?? "");
  }
  if (resource === request.resource || isScale(request)) {
    return meetsConditions(hook, { request, resource, object, oldObject: request.oldObject }, dependencies);
  }
  return seenInVersion(candidate, resource).then((seen) => meetsConditions(hook, seen, dependencies));
}

async function seenInVersion({ request, object }: Candidate, resource: ServedResource): Promise<SeenWrite> {
  const { oldObject } = request;
  return {
    request,
    resource,
    object: object && (await convertToVersion(object, request.resource, resource)),
    oldObject: oldObject && (await convertToVersion(oldObject, request.resource, resource)),
  };
}

/** The resource of the request if a rule matches it, else another version that a rule matches. */
function matchedResource(
  { rules = [], matchPolicy }: MutatingWebhook | ValidatingWebhook,
  request: AdmissionRequest,
  { registry }: WebhookDependencies,
): ServedResource | undefined {
  const { resource } = request;
  if (rules.some((rule) => ruleMatches(rule, request, resource))) return resource;
  if (matchPolicy === "Exact" || rules.length === 0) return undefined;
  const otherVersions = registry
    .all()
    .filter((one) => one.collection === resource.collection && one !== resource);
  for (const rule of rules) {
    const other = otherVersions.find((one) => ruleMatches(rule, request, one));
    if (other !== undefined) return other;
  }
  return undefined;
}

/** Cluster-scoped objects always match, except Namespaces. */
function namespaceMatches(
  selector: LabelSelector | undefined,
  { request, object }: Candidate,
  { read }: WebhookDependencies,
): boolean | "missing" {
  const { namespace, resource, operation, subresource } = request;
  if (selectsEverything(selector)) return true;
  const isNamespace = resource.plural === "namespaces" && resource.group === "";
  if (namespace === undefined && !isNamespace) return true;
  if (isNamespace && subresource === undefined && (operation === "CREATE" || operation === "UPDATE")) {
    return matchesLabels(selector, object?.metadata.labels);
  }
  const found = read.get({ group: "", plural: "namespaces" }, namespace ?? "");
  return found === undefined ? "missing" : matchesLabels(selector, found.metadata.labels);
}

/** The old or the new object matches: otherwise removing a label would bypass a webhook. */
function objectMatches(selector: LabelSelector | undefined, { request, object }: Candidate): boolean {
  if (selectsEverything(selector)) return true;
  return [object, request.oldObject].some(
    (one) => one !== undefined && matchesLabels(selector, one.metadata?.labels),
  );
}

function selectsEverything(selector: LabelSelector | undefined): boolean {
  if (selector === undefined) return true;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return matchExpressions.length === 0 && Object.keys(matchLabels).length === 0;
}

/** One false condition excludes the webhook; an error in a condition counts only if no condition is false. */
function meetsConditions(
  { matchConditions = [], failurePolicy }: MutatingWebhook | ValidatingWebhook,
  seen: SeenWrite,
  { authorize }: WebhookDependencies,
): SeenWrite | undefined {
  if (matchConditions.length === 0) return seen;
  const { request, object = null, oldObject = null } = seen;
  const problems: string[] = [];
  const variables = {
    object,
    oldObject,
    request: requestJson(seen),
    authorizer: ((access, account) =>
      authorize(account === undefined ? request.user : userOf(account), access)) satisfies AskAccess,
  };
  for (const { expression } of matchConditions) {
    const holds = evaluateCondition(expression, variables);
    if (holds === false) return undefined;
    if (holds !== true) problems.push(holds.message);
  }
  if (problems.length === 0) return seen;
  if (failurePolicy === "Ignore") return undefined;
  const joined = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
  throw forbidden(request.resource, request.name, joined);
}

function userOf(account: ServiceAccountName): UserInfo {
  const groups = [...serviceAccountGroups(account.namespace), "system:authenticated"];
  return { username: serviceAccountUsername(account), groups };
}

/** Whether a rule of a webhook matches a write of the given version of the resource. */
function ruleMatches(
  rule: RuleWithOperations,
  request: AdmissionRequest,
  { group, version, plural }: Pick<ServedResource, "group" | "version" | "plural">,
): boolean {
  return (
    scopeMatches(rule.scope, request) &&
    names(rule.operations, request.operation) &&
    names(rule.apiGroups, group) &&
    names(rule.apiVersions, version) &&
    (rule.resources ?? []).some((one) => resourceMatches(one, plural, request.subresource ?? ""))
  );
}

/** A Namespace is cluster-scoped, although admission requests have it in itself. */
function scopeMatches(
  scope: RuleWithOperations["scope"],
  { resource, namespace }: AdmissionRequest,
): boolean {
  if (scope === undefined || scope === "*") return true;
  const isOfCluster = namespace === undefined || (resource.plural === "namespaces" && resource.group === "");
  return (scope === "Cluster") === isOfCluster;
}

function names(list: readonly string[] | undefined, name: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(name));
}

/** `pods` matches pods only, `pods/log` one subresource, and a star any resource or subresource. */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const resource = slash === -1 ? pattern : pattern.slice(0, slash);
  const part = slash === -1 ? "" : pattern.slice(slash + 1);
  return (resource === "*" || resource === plural) && (part === "*" || part === subresource);
}
