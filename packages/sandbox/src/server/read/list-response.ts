import { apiVersionOf, formatJson, type GenericObject, type ListMeta } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { notAcceptable } from "../../status/request-errors.ts";
import type { AcceptedType } from "../request/accepted-type.ts";
import { encodeJson, encodeSpecial } from "../response/encode.ts";
import { type ApiResponse, headersOf } from "../response/response.ts";
import { type IncludedObject, partialMetadata, tableHead, tableRow } from "../response/table.ts";
import { servedObjects } from "../write/served-objects.ts";

export interface ListView {
  readonly resource: ServedResource;
  readonly accepted: AcceptedType;
  readonly included: IncludedObject;
  readonly now: number;
}

/** What is listed: a page of stored objects, or objects that are made for the response. */
interface ListedObjects {
  readonly metadata: ListMeta;
  readonly objects: readonly GenericObject[];
}

const chunkSize = 64 * 1024;
/** Objects that are converted together. */
const batchSize = 500;

/** A response with a list, which is encoded in parts while it is sent. */
export async function listResponse(view: ListView, page: ListedObjects): Promise<ApiResponse> {
  const { accepted, resource } = view;
  if (accepted.as === "PartialObjectMetadata") {
    const type = `*${resource.group === "" ? "core" : resource.group.split(".")[0]}.${resource.listKind}`;
    throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${type})`);
  }
  const headers = headersOf(accepted.format);
  // A failed conversion must become an error response, not a body that breaks off.
  await servedObjects(resource, page.objects.slice(0, batchSize));
  if (accepted.isPretty || accepted.format === "yaml") {
    const objects = await servedObjects(resource, page.objects);
    return {
      status: 200,
      headers,
      body: encodeSpecial(wholeList(view, page.metadata, objects), accepted.format),
    };
  }
  if (hasNullItems(view, page.objects)) {
    return { status: 200, headers, body: encodeJson(formatJson(wholeList(view, page.metadata, []))) };
  }
  const { head, tail } = frameOf(view, page.metadata);
  return { status: 200, headers, body: listChunks(view, page.objects, head, tail) };
}

async function* listChunks(
  view: ListView,
  stored: readonly GenericObject[],
  head: string,
  tail: string,
): AsyncGenerator<Uint8Array> {
  let text = head;
  for (let start = 0; start < stored.length; start += batchSize) {
    const objects = await servedObjects(view.resource, stored.slice(start, start + batchSize));
    for (const [index, object] of objects.entries()) {
      text += start + index === 0 ? encodeItem(view, object) : `,${encodeItem(view, object)}`;
      if (text.length < chunkSize) continue;
      yield encodeJson(text);
      text = "";
    }
  }
  yield encodeJson(text + tail);
}

function encodeItem(view: ListView, object: GenericObject): string {
  return formatJson(itemOf(view, object));
}

/** Items of built-in kinds have no apiVersion and kind. */
function itemOf(view: ListView, object: GenericObject): object {
  const { resource, accepted, included, now } = view;
  const { as, metaVersion } = accepted;
  if (as === "Table") return tableRow({ resource, metaVersion, included, now }, object);
  if (as !== undefined) return partialMetadata(object, metaVersion);
  return resource.isCustom ? object : { ...object, apiVersion: undefined, kind: undefined };
}

interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
}

function headOf({ resource, accepted, included, now }: ListView, metadata: ListMeta): ListHead {
  const { as, metaVersion } = accepted;
  if (as === "Table") return tableHead({ resource, metaVersion, included, now }, metadata);
  if (as !== undefined)
    return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
  return { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata };
}

/** Lists of custom kinds have sorted keys, like their objects. */
function isInOrder({ resource, accepted }: ListView): boolean {
  return resource.isCustom && accepted.as === undefined;
}

/** Such lists always have a continue token, which is empty on the last page. */
function metadataInOrder({ continue: token = "", remainingItemCount, resourceVersion }: ListMeta): object {
  return { continue: token, remainingItemCount, resourceVersion };
}

function frameOf(view: ListView, metadata: ListMeta): { readonly head: string; readonly tail: string } {
  if (isInOrder(view)) {
    const { kind, apiVersion } = headOf(view, metadata);
    const tail = JSON.stringify({ kind, metadata: metadataInOrder(metadata) }).slice(1);
    return { head: `{"apiVersion":${JSON.stringify(apiVersion)},"items":[`, tail: `],${tail}` };
  }
  const head = JSON.stringify(headOf(view, metadata)).slice(0, -1);
  return { head: `${head},"${itemsField(view)}":[`, tail: "]}" };
}

/** The real server writes null for the items of an empty list of metadata; other lists and tables have an empty array. */
function hasNullItems({ accepted }: ListView, objects: readonly GenericObject[]): boolean {
  return objects.length === 0 && accepted.as !== undefined && accepted.as !== "Table";
}

function itemsField({ accepted }: ListView): string {
  return accepted.as === "Table" ? "rows" : "items";
}

function wholeList(view: ListView, metadata: ListMeta, objects: readonly GenericObject[]): object {
  const head = headOf(view, metadata);
  const items = objects.map((object) => itemOf(view, object));
  if (isInOrder(view))
    return { apiVersion: head.apiVersion, items, kind: head.kind, metadata: metadataInOrder(metadata) };
  return { ...head, [itemsField(view)]: hasNullItems(view, objects) ? null : items };
}
