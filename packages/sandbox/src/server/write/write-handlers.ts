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
import { type Answer, type ObjectView, objectAnswer, valueAnswer } from "../response/response.ts";
import type { NamedTarget, ObjectWriter } from "./object-writer.ts";

export interface WriteTools {
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  readonly authorize: Authorize;
}

export async function createAnswer(
  tools: WriteTools,
  request: ApiRequest,
  view: ObjectView,
): Promise<Answer> {
  const { resource, namespace, subresource } = request;
  const options = writeOptions(request, "CreateOptions");
  const object = await readObject(tools, request, options);
  const created = await tools.writer.create({ resource, namespace, subresource }, object, options);
  return objectAnswer(view, created, 201);
}

export async function updateAnswer(
  tools: WriteTools,
  request: ApiRequest,
  view: ObjectView,
): Promise<Answer> {
  const options = writeOptions(request, "UpdateOptions");
  const target = namedTarget(request);
  const object = await readObject(tools, request, options);
  if (object.metadata.name === undefined || object.metadata.name === "") {
    const why = "was undeterminable: name must be provided";
    throw badRequest(`the name of the object (${target.name} based on URL) ${why}`);
  }
  const { object: written, created } = await tools.writer.update(target, object, {
    ...options,
    checkCreation: () => checkCreation(tools, request),
  });
  return objectAnswer(view, written, created ? 201 : 200);
}

export async function patchAnswer(tools: WriteTools, request: ApiRequest, view: ObjectView): Promise<Answer> {
  const { resource, headers, query } = request;
  const type = patchType(headers["content-type"], resource.isCustom);
  const body = await request.body();
  const options = writeOptions(request, "PatchOptions", type === "apply");
  const patch = decodePatch(resource, type, body, queryFlag(query, "force") ?? false);
  const { object, created } = await tools.writer.patch(namedTarget(request), patch, {
    ...options,
    checkCreation: () => checkCreation(tools, request),
  });
  return objectAnswer(view, object, created ? 201 : 200);
}

/** Who may change an object that is there may not for that reason make one. */
function checkCreation({ authorize }: WriteTools, request: ApiRequest): void {
  const { user, resource, namespace, name } = request;
  const { group, version, plural } = resource;
  checkAccess(authorize, user, {
    ...{ verb: "create", group, version, resource: plural },
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  });
}

export async function deleteAnswer(
  tools: WriteTools,
  request: ApiRequest,
  view: ObjectView,
): Promise<Answer> {
  const options = await deleteOptions(request);
  const left = await tools.writer.delete(namedTarget(request), options);
  return isStatus(left) ? valueAnswer(view.accepted, left) : objectAnswer(view, left);
}

/** The objects of a list are deleted; which these are, the caller says. */
export async function deleteCollection(
  tools: WriteTools,
  request: ApiRequest,
  list: () => readonly StoredObject[],
): Promise<void> {
  const options = await deleteOptions(request);
  await tools.writer.deleteCollection(request.resource, list(), options);
}

async function readObject(
  { registry }: WriteTools,
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
