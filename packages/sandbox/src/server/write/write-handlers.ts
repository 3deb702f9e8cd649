import { isStatus } from "@keelson/core";
import type { Authorize } from "../../auth/access.ts";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import { badRequest } from "../../status/api-error.ts";
import type { StoredObject } from "../../store/store.ts";
import { decodeObjectBody } from "../body/decode-body.ts";
import { decodePatch, patchType } from "../body/patch-body.ts";
import { deleteOptions } from "../options/delete-options.ts";
import type { WriteOptions } from "../options/write-options.ts";
import { writeOptions } from "../options/write-options.ts";
import { checkAccess } from "../request/access.ts";
import { type ApiRequest, nameOf } from "../request/api-request.ts";
import { queryFlag } from "../request/query.ts";
import { type ApiResponse, type ObjectView, objectResponse, valueResponse } from "../response/response.ts";
import type { NamedTarget, ObjectWriter } from "./object-writer.ts";

export interface WriteHandlerDependencies {
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  readonly authorize: Authorize;
}

export async function handleCreate(
  dependencies: WriteHandlerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const { resource, namespace, subresource } = request;
  const options = writeOptions(request, "CreateOptions");
  const object = await readObject(dependencies, request, options);
  const created = await dependencies.writer.create({ resource, namespace, subresource }, object, options);
  return objectResponse(view, created, { status: 201 });
}

export async function handleUpdate(
  dependencies: WriteHandlerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const options = writeOptions(request, "UpdateOptions");
  const target = namedTarget(request);
  const object = await readObject(dependencies, request, options);
  if (object.metadata.name === undefined || object.metadata.name === "") {
    const why = "was undeterminable: name must be provided";
    throw badRequest(`the name of the object (${target.name} based on URL) ${why}`);
  }
  const { object: written, created } = await dependencies.writer.update(target, object, {
    ...options,
    checkCreation: () => checkCreation(dependencies, request),
  });
  return objectResponse(view, written, { status: created ? 201 : 200 });
}

export async function handlePatch(
  dependencies: WriteHandlerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const { resource, headers, query } = request;
  const type = patchType(headers["content-type"], resource.isCustom);
  const body = await request.body();
  const options = writeOptions(request, "PatchOptions", type === "apply");
  const patch = decodePatch(resource, type, body, queryFlag(query, "force") ?? false);
  const { object, created } = await dependencies.writer.patch(namedTarget(request), patch, {
    ...options,
    checkCreation: () => checkCreation(dependencies, request),
  });
  return objectResponse(view, object, { status: created ? 201 : 200 });
}

/** Permission to update or patch does not include permission to create. */
function checkCreation({ authorize }: WriteHandlerDependencies, request: ApiRequest): void {
  const { user, resource, namespace, name } = request;
  const { group, version, plural } = resource;
  checkAccess(authorize, user, {
    ...{ verb: "create", group, version, resource: plural },
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  });
}

export async function handleDelete(
  dependencies: WriteHandlerDependencies,
  request: ApiRequest,
  view: ObjectView,
): Promise<ApiResponse> {
  const options = await deleteOptions(request);
  const left = await dependencies.writer.delete(namedTarget(request), options);
  return isStatus(left) ? valueResponse(view.accepted, left) : objectResponse(view, left);
}

/** Deletes the objects that the caller has listed. */
export async function deleteCollection(
  dependencies: WriteHandlerDependencies,
  request: ApiRequest,
  list: () => readonly StoredObject[],
): Promise<void> {
  const options = await deleteOptions(request);
  await dependencies.writer.deleteCollection(request.resource, list(), options);
}

async function readObject(
  { registry }: WriteHandlerDependencies,
  request: ApiRequest,
  { fieldValidation, warn }: WriteOptions,
): Promise<ReturnType<typeof decodeObjectBody>> {
  const { resource, headers } = request;
  const body = await request.body();
  const contentType = headers["content-type"];
  return decodeObjectBody(resource, { registry, contentType, body, fieldValidation, warn });
}

export function namedTarget(request: ApiRequest): NamedTarget {
  const { resource, namespace, subresource } = request;
  return { resource, namespace, subresource, name: nameOf(request) };
}
