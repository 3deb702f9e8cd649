import { formatTime, isRecord } from "@keelson/core";
import type { AccessRequest } from "../../auth/access.ts";
import type { UserInfo } from "../../auth/user.ts";
import { badRequest, invalid } from "../../status/api-error.ts";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodeObjectBody } from "../decode-body.ts";
import { type Answer, valueAnswer } from "../response.ts";
import type { ServerTools } from "../server-tools.ts";
import { writeOptions } from "../write-request.ts";

type Json = Readonly<Record<string, unknown>>;

/** Questions that are asked by creating them; nothing is stored. */
const reviews: Readonly<Record<string, (tools: ServerTools, request: ApiRequest, spec: Json) => object>> = {
  "subjectaccessreviews.authorization.k8s.io": (tools, _, spec) => ({
    spec,
    status: subjectAccess(tools, spec),
  }),
  "localsubjectaccessreviews.authorization.k8s.io": (tools, { namespace = "" }, spec) => ({
    metadata: { namespace },
    spec,
    status: localAccess(tools, namespace, spec),
  }),
  "selfsubjectaccessreviews.authorization.k8s.io": (tools, { user }, spec) => ({
    spec,
    status: selfAccess(tools, user, spec),
  }),
  "selfsubjectrulesreviews.authorization.k8s.io": (tools, { user }, spec) => ({
    spec: {},
    status: ownRules(tools, user, spec),
  }),
  "tokenreviews.authentication.k8s.io": (tools, _, spec) => ({ spec, status: tokenStatus(tools, spec) }),
  "selfsubjectreviews.authentication.k8s.io": ({ clock }, { user }) => ({
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: userJson(user) },
  }),
};

export function isReview(collection: string): boolean {
  return Object.hasOwn(reviews, collection);
}

export async function reviewAnswer(tools: ServerTools, request: ApiRequest): Promise<Answer> {
  const { resource, headers } = request;
  const { fieldValidation, warn } = writeOptions(request, "CreateOptions");
  const body = await request.body();
  const object = decodeObjectBody(resource, {
    registry: tools.registry,
    contentType: headers["content-type"],
    body,
    fieldValidation,
    warn,
  });
  const { kind, apiVersion, spec } = object;
  const answer = reviews[resource.collection]?.(tools, request, isRecord(spec) ? spec : {});
  const review = { kind, apiVersion, metadata: {}, ...answer };
  return valueAnswer({ format: "json", isPretty: false }, review, 201);
}

function subjectAccess(tools: ServerTools, spec: Json): object {
  const problems = attributeProblems(spec);
  const groups = textsOf(spec.groups);
  if (textOf(spec.user) === "" && groups.length === 0) {
    problems.push(invalidValue("spec.user", "", "at least one of user or group must be specified"));
  }
  refuse(problems);
  const extra = extraOf(spec.extra);
  const uid = textOf(spec.uid);
  const user: UserInfo = {
    username: textOf(spec.user),
    groups,
    ...(uid !== "" && { uid }),
    ...(extra !== undefined && { extra }),
  };
  return decision(tools, user, spec);
}

function localAccess(tools: ServerTools, namespace: string, spec: Json): object {
  const attributes = isRecord(spec.resourceAttributes) ? spec.resourceAttributes : {};
  const problems: FieldProblem[] = [];
  if (spec.nonResourceAttributes !== undefined) {
    problems.push(
      invalidValue(
        "spec.nonResourceAttributes",
        spec.nonResourceAttributes,
        "disallowed on this kind of request",
      ),
    );
  } else if (isRecord(spec.resourceAttributes) && textOf(attributes.namespace) !== namespace) {
    const detail = "must match metadata.namespace";
    problems.push(invalidValue("spec.resourceAttributes.namespace", textOf(attributes.namespace), detail));
  }
  refuse(problems);
  return subjectAccess(tools, spec);
}

function selfAccess(tools: ServerTools, user: UserInfo, spec: Json): object {
  refuse(attributeProblems(spec));
  return decision(tools, user, spec);
}

function attributeProblems(spec: Json): FieldProblem[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isRecord(resourceAttributes) && isRecord(nonResourceAttributes)) {
    const { path, verb } = nonResourceAttributes;
    const shown = { Path: textOf(path), Verb: textOf(verb) };
    const detail = "cannot be specified in combination with resourceAttributes";
    return [invalidValue("spec.nonResourceAttributes", shown, detail)];
  }
  if (isRecord(resourceAttributes) || isRecord(nonResourceAttributes)) return [];
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalidValue("spec.resourceAttributes", null, detail)];
}

/** Reviews have no name, and messages about them no kind. */
function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", problems);
}

function decision({ authorize }: ServerTools, user: UserInfo, spec: Json): object {
  const { allowed, reason } = authorize(user, accessOf(spec));
  return reason === "" ? { allowed } : { allowed, reason };
}

function accessOf({ resourceAttributes, nonResourceAttributes }: Json): AccessRequest {
  if (isRecord(nonResourceAttributes)) {
    return { verb: textOf(nonResourceAttributes.verb), path: textOf(nonResourceAttributes.path) };
  }
  const attributes = isRecord(resourceAttributes) ? resourceAttributes : {};
  const [version, subresource, namespace, name] = [
    textOf(attributes.version),
    textOf(attributes.subresource),
    textOf(attributes.namespace),
    textOf(attributes.name),
  ];
  return {
    verb: textOf(attributes.verb),
    group: textOf(attributes.group),
    resource: textOf(attributes.resource),
    ...(version !== "" && { version }),
    ...(subresource !== "" && { subresource }),
    ...(namespace !== "" && { namespace }),
    ...(name !== "" && { name }),
  };
}

function ownRules({ rulesOf }: ServerTools, user: UserInfo, spec: Json): object {
  const namespace = textOf(spec.namespace);
  if (namespace === "") throw badRequest("no namespace on request");
  const { resourceRules, nonResourceRules, incomplete } = rulesOf(user, namespace);
  return { resourceRules, nonResourceRules, incomplete };
}

function tokenStatus({ authenticateToken }: ServerTools, spec: Json): object {
  const token = textOf(spec.token);
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const found = authenticateToken(token, textsOf(spec.audiences));
  if (found === undefined) return { user: {}, error: "invalid bearer token" };
  const { user, audiences } = found;
  return { authenticated: true, user: userJson(user), ...(audiences.length > 0 && { audiences }) };
}

function userJson({ username, uid, groups, extra }: UserInfo): object {
  return { username, ...(uid !== undefined && { uid }), groups, ...(extra !== undefined && { extra }) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function extraOf(value: unknown): UserInfo["extra"] | undefined {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, values]) => [key.toLowerCase(), textsOf(values)]),
  );
}
