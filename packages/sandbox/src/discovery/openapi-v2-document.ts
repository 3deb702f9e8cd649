import { createHash } from "node:crypto";
import { kubernetesVersion } from "../builtin/generated/discovery.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import {
  type OperationFacts,
  type PathDialect,
  patchSchema,
  patchTypes,
  queryParametersOf,
  resourcePaths,
} from "./openapi-paths.ts";
import { publishedSchemas } from "./openapi-schemas.ts";
import { encodeOpenApiV2 } from "./openapi-v2-protobuf.ts";
import { definitionReference, openApi2Schemas } from "./openapi-v2-schemas.ts";
import type { DescribeSchema } from "./schema-descriptions.ts";

/** The OpenAPI v2 document of all resources. */
export interface OpenApiV2Document {
  readonly hash: string;
  readonly text: string;
  /** In Protocol Buffers; encoded on the first request. */
  readonly bytes: () => Uint8Array;
}

export function openApiV2Document(
  resources: readonly ServedResource[],
  describe: DescribeSchema,
): OpenApiV2Document {
  const document = {
    swagger: "2.0",
    info: { title: "Kubernetes", version: /\d+\.\d+/.exec(kubernetesVersion)?.[0] ?? kubernetesVersion },
    paths: Object.assign({}, ...resources.map((resource) => resourcePaths(resource, openApi2))),
    definitions: publishedSchemas(resources, describe, openApi2Schemas),
    securityDefinitions: {
      BearerToken: {
        description: "Bearer Token authentication",
        type: "apiKey",
        name: "authorization",
        in: "header",
      },
    },
    security: [{ BearerToken: [] }],
  };
  const text = JSON.stringify(document);
  const hash = createHash("sha512").update(text).digest("hex").toUpperCase();
  let bytes: Uint8Array | undefined;
  const encode = (): Uint8Array => {
    bytes ??= encodeOpenApiV2(document);
    return bytes;
  };
  return { hash, text, bytes: encode };
}

const openApi2: PathDialect = {
  operation: (facts) => ({
    consumes: consumedTypes(facts),
    produces: facts.verb === "list" ? [...objectTypes, "application/json;stream=watch"] : objectTypes,
    schemes: ["https"],
    parameters: [
      ...bodyParameter(facts),
      ...queryParametersOf(facts.verb).map(({ name, type }) => ({
        uniqueItems: true,
        type,
        name,
        in: "query",
      })),
    ],
    responses: { "200": { description: "OK", schema: schemaOf(facts.response) } },
    ...facts.extensions,
  }),
  pathParameter: (name) => ({ uniqueItems: true, type: "string", name, in: "path", required: true }),
};

const objectTypes = ["application/json", "application/yaml"];

function consumedTypes({ verb, isCustom }: OperationFacts): readonly string[] {
  if (verb === "patch") return patchTypes(isCustom);
  return isCustom ? objectTypes : ["*/*"];
}

function bodyParameter({ verb, sent }: OperationFacts): readonly object[] {
  if (verb !== "create" && verb !== "update" && verb !== "patch") return [];
  const schema = verb === "patch" ? definitionReference(patchSchema) : schemaOf(sent);
  return [{ name: "body", in: "body", required: true, schema }];
}

function schemaOf(name: string | undefined): object {
  return name === undefined ? { type: "string" } : definitionReference(name);
}
