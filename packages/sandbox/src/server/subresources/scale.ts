import { draft, formatLabelSelector, type GenericObject, isRecord } from "@keelson/core";
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import { type GivenLabelSelector, usableSelector } from "../../resource/label-problems.ts";
import type { ScalePaths, ServedResource } from "../../resource/served-resource.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import { ApiError, badRequest, conflict, invalid, staleVersion } from "../../status/api-error.ts";
import { invalidValue } from "../../status/field-problem.ts";
import type { ApiRequest } from "../api-request.ts";
import { decodePlainBody, type ExpectedKind } from "../decode-body.ts";
import type { Patch, WriteOptions } from "../object-writer.ts";
import { decodePatch, patchType } from "../patch-request.ts";
import { queryFlag } from "../query-values.ts";
import { getObject } from "../read/get.ts";
import { type Answer, type ObjectView, objectAnswer } from "../response.ts";
import type { ServerTools } from "../server-tools.ts";
import { writeOptions } from "../write-request.ts";
import { namedTarget } from "../write-verbs.ts";
import { setValueAt, valueAt } from "./field-path.ts";

interface Scale extends GenericObject {
  readonly spec: { readonly replicas?: number };
}

const count: FieldSchema = { type: "integer", format: "int32" };
const anything: FieldSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const scaleKind: ExpectedKind = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  isCustom: false,
  schema: {
    type: "object",
    typeName: "v1.Scale",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: anything,
      spec: { type: "object", typeName: "v1.ScaleSpec", properties: { replicas: count } },
      status: {
        type: "object",
        typeName: "v1.ScaleStatus",
        properties: { replicas: count, selector: { type: "string" } },
      },
    },
  },
};

/** How many of something there are and should be, whatever it is. */
export async function scaleAnswer(
  tools: ServerTools,
  request: ApiRequest,
  view: ObjectView,
): Promise<Answer> {
  if (request.verb === "get") {
    const object = await readScaled(tools, request);
    return objectAnswer(view, scaleOf(request.resource, object));
  }
  const written = request.verb === "update" ? await update(tools, request) : await patch(tools, request);
  return objectAnswer(view, scaleOf(request.resource, written));
}

function readScaled(
  { reads }: ServerTools,
  { resource, namespace, name = "" }: ApiRequest,
): Promise<GenericObject> {
  return getObject(reads, { resource, namespace, name }, "");
}

async function update(tools: ServerTools, request: ApiRequest): Promise<GenericObject> {
  const options = writeOptions(request, "UpdateOptions");
  const { fieldValidation, warn } = options;
  const body = await request.body();
  const contentType = request.headers["content-type"];
  const { registry } = tools;
  const json = decodePlainBody(scaleKind, { registry, contentType, body, fieldValidation, warn });
  return write(tools, request, options, () => json);
}

async function patch(tools: ServerTools, request: ApiRequest): Promise<GenericObject> {
  const { headers, query, resource } = request;
  const type = patchType(headers["content-type"], resource.isCustom);
  const body = await request.body();
  const options = writeOptions(request, "PatchOptions", type === "apply");
  const decoded = decodePatch(scaleKind, type, body, queryFlag(query, "force") ?? false);
  return write(tools, request, options, (scale) => patched(scale, decoded));
}

function patched(scale: Scale, change: Patch): Readonly<Record<string, unknown>> {
  switch (change.type) {
    case "json":
      return applyJsonPatch(scale, change.operations);
    case "merge":
    case "strategic":
      return applyMergePatch(scale, change.patch);
    case "apply":
      return applyMergePatch(scale, { spec: change.configuration.spec });
  }
}

/** Changes the object by what is wanted of its scale; again, if somebody else wrote and the client does not mind. */
async function write(
  tools: ServerTools,
  request: ApiRequest,
  options: WriteOptions,
  change: (scale: Scale) => Readonly<Record<string, unknown>>,
): Promise<GenericObject> {
  const { resource, name = "" } = request;
  for (;;) {
    const object = await readScaled(tools, request);
    const wanted = change(scaleOf(resource, object));
    const metadata = Object(wanted.metadata);
    checkName(String(metadata.name ?? ""), name);
    const replicas = wantedReplicas(wanted, name);
    const asked = metadata.resourceVersion ?? "";
    if (asked !== "" && asked !== object.metadata.resourceVersion)
      throw conflict(resource, name, staleVersion);
    const next = draft(object);
    setValueAt(next, pathsOf(resource).specReplicasPath, replicas);
    try {
      return (await tools.writer.update(namedTarget(request), next, options)).object;
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status.message?.includes(staleVersion) === true;
      if (!isConflict || asked !== "") throw error;
      options.signal.throwIfAborted();
    }
  }
}

function checkName(found: string, expected: string): void {
  if (found === "") {
    throw badRequest(
      `the name of the object (${expected} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (found !== expected) {
    throw badRequest(`the name of the object (${found}) does not match the name on the URL (${expected})`);
  }
}

function wantedReplicas(wanted: Readonly<Record<string, unknown>>, name: string): number {
  const replicas: unknown = Object(wanted.spec).replicas ?? 0;
  if (typeof replicas === "number" && Number.isInteger(replicas) && replicas >= 0) return replicas;
  const problem = invalidValue("spec.replicas", replicas, "must be greater than or equal to 0");
  throw invalid({ group: "autoscaling", kind: "Scale" }, name, [problem]);
}

function pathsOf({ subresources }: ServedResource): ScalePaths {
  return (
    subresources.get("scale")?.scale ?? {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
    }
  );
}

function scaleOf(resource: ServedResource, object: GenericObject): Scale {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(resource);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const wanted = numberAt(object, specReplicasPath);
  const selector =
    labelSelectorPath === undefined ? undefined : selectorText(resource, valueAt(object, labelSelectorPath));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: {
      replicas: numberAt(object, statusReplicasPath),
      ...(selector !== undefined && selector !== "" && { selector }),
    },
  };
}

function numberAt(object: GenericObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === "number" ? value : 0;
}

/** Of built-in kinds a selector, or (of ReplicationControllers) labels; of custom ones text. */
function selectorText(resource: ServedResource, value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return undefined;
  const given: GivenLabelSelector =
    resource.kind === "ReplicationController" ? { matchLabels: textsOf(value) } : asSelector(value);
  const selector = usableSelector(given);
  return selector && formatLabelSelector(selector);
}

function textsOf(labels: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}

/** The store holds what the kind says. */
function asSelector(selector: Readonly<Record<string, unknown>>): GivenLabelSelector {
  return selector as GivenLabelSelector;
}
