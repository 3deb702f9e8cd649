import type { GenericObject, ListMeta } from "@keelson/core";
import type { ServedResource } from "../../resource/served-resource.ts";
import { badRequest } from "../../status/api-error.ts";

/** What a row contains beside its cells. */
export type IncludedObject = "None" | "Metadata" | "Object";

interface TableRequest {
  readonly resource: ServedResource;
  readonly metaVersion: string;
  readonly included: IncludedObject;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
}

export function includedObject(query: URLSearchParams): IncludedObject {
  const requested = query.get("includeObject") ?? "";
  if (requested === "" || requested === "Metadata") return "Metadata";
  if (requested === "None" || requested === "Object") return requested;
  const problem = `Invalid value: ${JSON.stringify(requested)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${problem}`);
}

/** A Table without its rows. */
export function tableHead({ resource, metaVersion }: TableRequest, metadata: ListMeta): TableHead {
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata,
    columnDefinitions: resource.columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
  };
}

interface TableHead {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly object[];
}

/** The row of one object. */
export function tableRow(request: TableRequest, object: GenericObject): object {
  const { resource, now, included } = request;
  const isBookmark = object.metadata.name === undefined;
  const cells = resource.columns.map((column) => (isBookmark ? "" : column.cell(object, now)));
  const row = { cells };
  if (included === "None") return { ...row, object: null };
  if (included === "Object") return { ...row, object };
  return { ...row, object: partialMetadata(object, request.metaVersion) };
}

/** A Table with one object. */
export function tableOf(request: TableRequest, object: GenericObject): object {
  const { resourceVersion } = object.metadata;
  const metadata = resourceVersion === undefined ? {} : { resourceVersion };
  return { ...tableHead(request, metadata), rows: [tableRow(request, object)] };
}

export function partialMetadata({ metadata }: GenericObject, metaVersion: string): GenericObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
}
