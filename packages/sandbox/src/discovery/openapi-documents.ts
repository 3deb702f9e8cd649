import { createHash } from "node:crypto";
import { rawSchemaName } from "../builtin/builtin-schemas.ts";
import { kubernetesVersion } from "../builtin/generated/discovery.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import { resourcePaths } from "./openapi-paths.ts";
import { publishedSchemas } from "./openapi-schemas.ts";
import type { DescribeSchema } from "./schema-descriptions.ts";
import type { ServedGroup } from "./served-groups.ts";

/** A published document; its text is computed on the first request. */
export interface OpenApiDocument {
  readonly hash: string;
  readonly text: () => string;
}

/** One document for each group and version, by its path below `/openapi/v3`: `api/v1`, `apis/apps/v1`. */
export function openApiDocuments(
  groups: readonly ServedGroup[],
  describe: DescribeSchema,
): ReadonlyMap<string, OpenApiDocument> {
  const documents = groups.flatMap(({ name, versions }) =>
    versions.map(({ version, resources }): [string, OpenApiDocument] => {
      const path = name === "" ? `api/${version}` : `apis/${name}/${version}`;
      let text: string | undefined;
      const write = (): string => {
        text ??= documentText(resources, describe);
        return text;
      };
      return [path, { hash: hashOf(resources, describe), text: write }];
    }),
  );
  return new Map(documents);
}

/** The document at `/openapi/v3`. */
export function openApiIndex(documents: ReadonlyMap<string, OpenApiDocument>): object {
  const paths = [...documents].map(([path, { hash }]) => [
    path,
    { serverRelativeURL: documentUrl(path, hash) },
  ]);
  return { paths: Object.fromEntries(paths) };
}

export function documentUrl(path: string, hash: string): string {
  return `/openapi/v3/${path}?hash=${hash}`;
}

function documentText(resources: readonly ServedResource[], describe: DescribeSchema): string {
  const isCustom = resources.some((resource) => resource.isCustom);
  return JSON.stringify({
    openapi: "3.0.0",
    info: isCustom
      ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" }
      : { title: "Kubernetes", version: kubernetesVersion },
    paths: Object.assign({}, ...resources.map((resource) => resourcePaths(resource))),
    components: { schemas: publishedSchemas(resources, describe) },
  });
}

/** The schemas of built-in kinds change only with the version, and with where their descriptions are from. */
function hashOf(resources: readonly ServedResource[], describe: DescribeSchema): string {
  const [first] = resources.flatMap(({ group, version, kind }) => rawSchemaName(group, version, kind) ?? []);
  const described = first === undefined ? undefined : describe(first)?.description;
  const facts = resources.map((resource) => {
    const { plural, kind, listKind, scope, verbs, isCustom, subresources } = resource;
    const parts = [...subresources.values()];
    return { plural, kind, listKind, scope, verbs, parts, schema: isCustom ? resource.schema : null };
  });
  return createHash("sha512")
    .update(JSON.stringify([kubernetesVersion, facts, described]))
    .digest("hex")
    .toUpperCase();
}
