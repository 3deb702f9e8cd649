import { draft, type GenericObject } from "@keelson/core";
import { setManagedFields } from "../../apply/object-fields.ts";
import { scaleColumns } from "../../builtin/columns/scaling-columns.ts";
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../patch/strategic-merge-patch.ts";
import { setValueAt, valueAt } from "../../resource/field-path.ts";
import { type Scale, scaleOf, scalePathsOf } from "../../resource/scale.ts";
import type { ServedResource } from "../../resource/served-resource.ts";
import type { FieldSchema } from "../../schema/field-schema.ts";
import {
  ApiError,
  badRequest,
  conflict,
  internalError,
  invalid,
  staleVersion,
} from "../../status/api-error.ts";
import { invalidValue } from "../../status/field-problem.ts";
import { decodePlainBody, type ExpectedKind } from "../body/decode-body.ts";
import { decodePatch, patchType } from "../body/patch-body.ts";
import { type WriteOptions, writeOptions } from "../options/write-options.ts";
import { getObject } from "../read/get.ts";
import { type ApiRequest, nameOf } from "../request/api-request.ts";
import { queryFlag } from "../request/query.ts";
import { type ApiResponse, type ObjectView, objectResponse } from "../response/response.ts";
import type { ServerDependencies } from "../server-dependencies.ts";
import { decodePatched, type PatchedKind, type PlainPatch } from "../write/patched-object.ts";
import { namedTarget } from "../write/write-handlers.ts";
import {
  appliedScale,
  managedScaleOf,
  type ScaledState,
  type ScaleWrite,
  updatedScale,
} from "./scale-managers.ts";

const count: FieldSchema = { type: "integer", format: "int32" };
const anything: FieldSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const scaleKind: ExpectedKind & PatchedKind = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  isCustom: false,
  prunesUnknownFields: true,
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

/** Handles the scale subresource of any kind. */
export async function handleScale(
  dependencies: ServerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const scaleView = viewOfScale(view);
  if (request.verb === "get") {
    const object = await readScaled(dependencies, request);
    checkHasReplicas(request.resource, object);
    return objectResponse(scaleView, scaleOf(request.resource, object));
  }
  const written =
    request.verb === "update" ? await update(dependencies, request) : await patch(dependencies, request);
  return objectResponse(scaleView, scaleOf(request.resource, written));
}

/** The representation of the Scale instead of the scaled object. */
function viewOfScale(view: ObjectView): ObjectView {
  const { resource } = view;
  const { isCustom } = resource;
  return {
    ...view,
    resource: { ...resource, columns: scaleColumns(isCustom) },
    goType: isCustom ? "v1.Scale" : "autoscaling.Scale",
  };
}

/** Reading the scale of a custom object without replicas is an error; writing it sets them. */
function checkHasReplicas(resource: ServedResource, object: GenericObject): void {
  const { specReplicasPath } = scalePathsOf(resource);
  if (!resource.isCustom || valueAt(object, specReplicasPath) !== undefined) return;
  throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
}

function readScaled({ reads }: ServerDependencies, request: ApiRequest): Promise<GenericObject> {
  return getObject(reads, namedTarget(request), "");
}

async function update(dependencies: ServerDependencies, request: ApiRequest): Promise<GenericObject> {
  const options = writeOptions(request, "UpdateOptions");
  const { fieldValidation, warn } = options;
  const body = await request.body();
  const contentType = request.headers["content-type"];
  const { registry } = dependencies;
  const json = decodePlainBody(scaleKind, { registry, contentType, body, fieldValidation, warn });
  return write(dependencies, request, options, (current) => updatedScale(current, json));
}

async function patch(dependencies: ServerDependencies, request: ApiRequest): Promise<GenericObject> {
  const { headers, query, resource } = request;
  const type = patchType(headers["content-type"], resource.isCustom);
  const body = await request.body();
  const options = writeOptions(request, "PatchOptions", type === "apply");
  const decoded = decodePatch(scaleKind, type, body, queryFlag(query, "force") ?? false);
  return write(dependencies, request, options, (current) => {
    if (decoded.type === "apply") return appliedScale(current, decoded);
    const scale = managedScaleOf(current);
    const { registry } = dependencies;
    const apply = (): Record<string, unknown> => patched(scale, decoded);
    return updatedScale(
      current,
      decodePatched({ resource: scaleKind, registry, patch: decoded, options, apply }),
    );
  });
}

function patched(scale: Scale, change: PlainPatch): Record<string, unknown> {
  if (change.type === "json") return applyJsonPatch(scale, change.operations);
  if (change.type === "merge") return applyMergePatch(scale, change.patch);
  return applyStrategicMergePatch(scale, change.patch, scaleKind.schema);
}

/** Writes the changed Scale into the object; retries a conflict if the client gave no resource version. */
async function write(
  dependencies: ServerDependencies,
  request: ApiRequest,
  options: WriteOptions,
  change: (current: ScaleWrite) => ScaledState,
): Promise<GenericObject> {
  const { resource } = request;
  const name = nameOf(request);
  const { registry, clock } = dependencies;
  for (;;) {
    const object = await readScaled(dependencies, request);
    const current = { registry, resource, object, manager: options.manager, now: clock.now() };
    const { scale, managedFields } = change(current);
    const metadata = Object(scale.metadata);
    checkName(String(metadata.name ?? ""), name);
    const requested = metadata.resourceVersion ?? "";
    if (requested !== "" && requested !== object.metadata.resourceVersion)
      throw conflict(resource, name, staleVersion);
    const next = draft(object);
    setValueAt(
      next,
      scalePathsOf(resource).specReplicasPath,
      requestedReplicas(scale, resource.isCustom, name),
    );
    setManagedFields(next, managedFields);
    try {
      return (await dependencies.writer.update(namedTarget(request), next, options)).object;
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status.message?.includes(staleVersion) === true;
      if (!isConflict || requested !== "") throw error;
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

/** For custom kinds, their strategy refuses negative numbers, with the path of the field. */
function requestedReplicas(
  scale: Readonly<Record<string, unknown>>,
  isCustom: boolean,
  name: string,
): number {
  const replicas: unknown = Object(scale.spec).replicas ?? 0;
  const isNumber = typeof replicas === "number" && Number.isInteger(replicas);
  if (isNumber && (replicas >= 0 || isCustom)) return replicas;
  const problem = invalidValue("spec.replicas", replicas, "must be greater than or equal to 0");
  throw invalid({ group: "autoscaling", kind: "Scale" }, name, [problem]);
}
