import { formatTime, isRecord } from "@keelson/core";
import type { AccessRequest } from "../../auth/access.ts";
import type { UserInfo } from "../../auth/user.ts";
import { badRequest, invalid } from "../../status/api-error.ts";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";
import { decodeObjectBody } from "../body/decode-body.ts";
import { writeOptions } from "../options/write-options.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type ApiResponse, valueResponse } from "../response/response.ts";
import type { ServerDependencies } from "../server-dependencies.ts";
import { managedFieldsOfRequest } from "./request-managed-fields.ts";

type Json = Readonly<Record<string, unknown>>;

interface ReviewRequest {
  readonly request: ApiRequest;
  readonly spec: Json;
  /** As it was sent, with managed fields. */
  readonly metadata: Json;
}

/** Reviews by collection. A create returns the result; nothing is stored. */
const reviews: Readonly<
  Record<string, (dependencies: ServerDependencies, question: ReviewRequest) => object>
> = {
  "subjectaccessreviews.authorization.k8s.io": (dependencies, { spec, metadata }) => {
    refuse([...subjectProblems(spec), ...metadataProblems(metadata)]);
    return { metadata, spec, status: subjectAccess(dependencies, spec) };
  },
  "localsubjectaccessreviews.authorization.k8s.io": (dependencies, { request, spec, metadata }) => {
    const { namespace = "" } = request;
    const placed = placedIn(namespace, metadata);
    refuse(localProblems(namespace, spec, placed));
    return { metadata: placed, spec, status: subjectAccess(dependencies, spec) };
  },
  "selfsubjectaccessreviews.authorization.k8s.io": (dependencies, { request, spec, metadata }) => {
    refuse([...attributeProblems(spec), ...metadataProblems(metadata)]);
    return { metadata, spec, status: decision(dependencies, request.user, spec) };
  },
  "selfsubjectrulesreviews.authorization.k8s.io": (dependencies, { request, spec }) => ({
    metadata: {},
    spec: {},
    status: ownRules(dependencies, request.user, spec),
  }),
  "tokenreviews.authentication.k8s.io": (dependencies, { spec, metadata }) => ({
    metadata,
    spec,
    status: tokenStatus(dependencies, spec),
  }),
  "selfsubjectreviews.authentication.k8s.io": ({ clock }, { request }) => ({
    metadata: { creationTimestamp: formatTime(clock.now()) },
    status: { userInfo: userJson(request.user) },
  }),
};

export function isReview(collection: string): boolean {
  return Object.hasOwn(reviews, collection);
}

export async function handleReview(
  dependencies: ServerDependencies,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { resource, headers } = request;
  const { fieldValidation, warn, manager } = writeOptions(request, "CreateOptions");
  const body = await request.body();
  const object = decodeObjectBody(resource, {
    registry: dependencies.registry,
    contentType: headers["content-type"],
    body,
    fieldValidation,
    warn,
  });
  const { kind, apiVersion, spec } = object;
  const now = dependencies.clock.now();
  const { schema } = resource;
  const managedFields = managedFieldsOfRequest({ object, schema, apiVersion, kind, manager, now });
  const metadata = { ...object.metadata, ...(managedFields.length > 0 && { managedFields }) };
  const response = reviews[resource.collection]?.(dependencies, {
    request,
    spec: isRecord(spec) ? spec : {},
    metadata,
  });
  return valueResponse({ format: "json", isPretty: false }, { kind, apiVersion, ...response }, 201);
}

function subjectAccess(dependencies: ServerDependencies, spec: Json): object {
  const extra = extraOf(spec.extra);
  const uid = textOf(spec.uid);
  const user: UserInfo = {
    username: textOf(spec.user),
    groups: textsOf(spec.groups),
    ...(uid !== "" && { uid }),
    ...(extra !== undefined && { extra }),
  };
  return decision(dependencies, user, spec);
}

function subjectProblems(spec: Json): readonly FieldProblem[] {
  const problems = attributeProblems(spec);
  if (textOf(spec.user) !== "" || textsOf(spec.groups).length > 0) return problems;
  return [...problems, invalidValue("spec.user", "", "at least one of user or group must be specified")];
}

function localProblems(namespace: string, spec: Json, metadata: Json): readonly FieldProblem[] {
  const { namespace: _namespace, ...rest } = metadata;
  const { resourceAttributes, nonResourceAttributes } = spec;
  const attributes = isRecord(resourceAttributes) ? resourceAttributes : {};
  const problems = [...subjectProblems(spec)];
  if (!isEmptyMetadata(rest)) {
    problems.push(invalidValue("metadata", metadata, "must be empty except for namespace"));
  }
  if (isRecord(resourceAttributes) && textOf(attributes.namespace) !== namespace) {
    const detail = "must match metadata.namespace";
    problems.push(invalidValue("spec.resourceAttributes.namespace", textOf(attributes.namespace), detail));
  }
  if (nonResourceAttributes !== undefined) {
    const detail = "disallowed on this kind of request";
    problems.push(invalidValue("spec.nonResourceAttributes", goForm(nonResourceAttributes), detail));
  }
  return problems;
}

function placedIn(namespace: string, { name, ...metadata }: Json): Json {
  if ((metadata.namespace ?? namespace) !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return { ...(name !== undefined && { name }), namespace, ...metadata };
}

function metadataProblems(metadata: Json): readonly FieldProblem[] {
  return isEmptyMetadata(metadata) ? [] : [invalidValue("metadata", metadata, "must be empty")];
}

function isEmptyMetadata({ managedFields: _managedFields, ...rest }: Json): boolean {
  return Object.keys(rest).length === 0;
}

function attributeProblems(spec: Json): FieldProblem[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isRecord(resourceAttributes) && isRecord(nonResourceAttributes)) {
    const detail = "cannot be specified in combination with resourceAttributes";
    return [invalidValue("spec.nonResourceAttributes", goForm(nonResourceAttributes), detail)];
  }
  if (isRecord(resourceAttributes) || isRecord(nonResourceAttributes)) return [];
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalidValue("spec.resourceAttributes", null, detail)];
}

/** The attributes as messages show them. */
function goForm(nonResourceAttributes: unknown): object {
  const { path, verb } = Object(nonResourceAttributes);
  return { Path: textOf(path), Verb: textOf(verb) };
}

/** Reviews have no name, and the message has no kind. */
function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", problems);
}

function decision({ authorize }: ServerDependencies, user: UserInfo, spec: Json): object {
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
    selectedFields: selectedFieldsOf(attributes.fieldSelector),
  };
}

/** The fields for which a review names one value. */
function selectedFieldsOf(selector: unknown): Readonly<Record<string, string>> {
  const requirements =
    isRecord(selector) && Array.isArray(selector.requirements) ? selector.requirements : [];
  const fields = requirements.filter(isRecord).flatMap(({ key, operator, values }): [string, string][] => {
    const [only, ...others] = textsOf(values);
    return operator === "In" && only !== undefined && others.length === 0 ? [[textOf(key), only]] : [];
  });
  return Object.fromEntries(fields);
}

function ownRules({ rulesOf }: ServerDependencies, user: UserInfo, spec: Json): object {
  const namespace = textOf(spec.namespace);
  if (namespace === "") throw badRequest("no namespace on request");
  return rulesOf(user, namespace);
}

function tokenStatus({ authenticateToken, tokenProblem }: ServerDependencies, spec: Json): object {
  const token = textOf(spec.token);
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const requested = textsOf(spec.audiences);
  const found = authenticateToken(token, requested);
  if (found === undefined) return { user: {}, error: tokenProblem(token, requested) };
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
