import { draft, formatTime, type GenericObject, isRecord } from "@keelson/core";
import { valueAt } from "../../resource/field-path.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { ApiError, badRequest, notFound, plainError } from "../../status/api-error.ts";
import { type FieldProblem, formatProblem, notSupported, required } from "../../status/field-problem.ts";
import { StaleWriteError } from "../../store/errors.ts";
import { type StoredObject, storeKey } from "../../store/store.ts";
import { decodePlainBody, type ExpectedKind } from "../body/decode-body.ts";
import { writeOptions } from "../options/write-options.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type ApiResponse, successStatus, valueResponse } from "../response/response.ts";
import type { ServerDependencies } from "../server-dependencies.ts";

const open: FieldSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const bindingKind: ExpectedKind = {
  group: "",
  version: "v1",
  kind: "Binding",
  isCustom: false,
  schema: {
    type: "object",
    typeName: "v1.Binding",
    properties: { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: open, target: open },
  },
};

/** Binds a Pod to a Node, by its binding subresource or by a Binding that names it. */
export async function handleBinding(
  dependencies: ServerDependencies,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { namespace, headers } = request;
  const { fieldValidation, warn, dryRun } = writeOptions(request, "CreateOptions");
  const body = await request.body();
  const contentType = headers["content-type"];
  const binding = decodePlainBody(bindingKind, {
    registry: dependencies.registry,
    contentType,
    body,
    fieldValidation,
    warn,
  });
  const name = textAt(binding, ".metadata.name");
  if (request.name !== undefined && request.name !== name) {
    throw badRequest("name in URL does not match name in Binding object");
  }
  const problems = bindingProblems(binding);
  if (problems.length > 0) throw plainError(joined(problems));
  for (;;) {
    const pod = dependencies.reads.store.get("pods", storeKey(namespace, name));
    if (pod === undefined) throw notFound({ group: "", plural: "pods" }, name);
    const bound = boundPod(dependencies, pod, binding);
    if (dryRun) break;
    try {
      const expectedRevision = Number(pod.metadata.resourceVersion);
      dependencies.reads.store.write({
        collection: "pods",
        key: storeKey(namespace, name),
        object: bound,
        expectedRevision,
      });
      break;
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
    }
  }
  return valueResponse({ format: "json", isPretty: false }, successStatus(201), 201);
}

function bindingProblems(binding: object): readonly FieldProblem[] {
  const kind = textAt(binding, ".target.kind");
  const isNode = kind === "" || kind === "Node";
  return [
    ...(isNode ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(textAt(binding, ".target.name") === "" ? [required("target.name")] : []),
  ];
}

function joined(problems: readonly FieldProblem[]): string {
  const texts = problems.map(formatProblem);
  return texts.length === 1 ? String(texts[0]) : `[${texts.join(", ")}]`;
}

/** The Pod with its node. Throws ApiError if it cannot be bound. */
function boundPod({ clock }: ServerDependencies, pod: StoredObject, binding: object): GenericObject {
  const { name } = pod.metadata;
  const node = textAt(pod, ".spec.nodeName");
  const refuse = (why: string): ApiError =>
    new ApiError({
      httpCode: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on pods/binding ${JSON.stringify(name)}: ${why}`,
      details: { name, kind: "pods/binding" },
    });
  const uid = textAt(binding, ".metadata.uid");
  if (uid !== "" && uid !== pod.metadata.uid) {
    const found = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`;
    throw refuse(found);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (node !== "") throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(node)}`);
  const gates = valueAt(pod, ".spec.schedulingGates");
  if (Array.isArray(gates) && gates.length > 0) {
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  }
  const next = draft(pod);
  const annotations = valueAt(binding, ".metadata.annotations");
  if (isRecord(annotations)) {
    const added = Object.entries(annotations).map(([key, value]): [string, string] => [key, String(value)]);
    next.metadata.annotations = { ...next.metadata.annotations, ...Object.fromEntries(added) };
  }
  next.spec = { ...Object(next.spec), nodeName: textAt(binding, ".target.name") };
  next.status = withScheduled(Object(next.status), formatTime(clock.now()));
  return next;
}

function withScheduled(status: Readonly<Record<string, unknown>>, now: string): object {
  const conditions = Array.isArray(status.conditions) ? status.conditions : [];
  const kept = conditions.filter(({ type }) => type !== "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now };
  return { ...status, conditions: [...kept, scheduled] };
}

function textAt(object: object, path: string): string {
  const value = valueAt(object, path);
  return typeof value === "string" ? value : "";
}
