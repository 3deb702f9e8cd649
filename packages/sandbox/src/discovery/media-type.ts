import { parseAccept } from "../server/request/accepted-type.ts";
import { aggregatedType } from "./aggregated-document.ts";

/** The first of the media types that a client accepts and that is offered here; undefined if there is none. */
export function chooseType(accept: string | undefined): "aggregated" | "json" | undefined {
  const types = (accept ?? "*/*").split(",").map((type) => type.trim().replaceAll(" ", ""));
  for (const type of types) {
    if (withoutQuality(type) === aggregatedType) return "aggregated";
    if (["application/json", "application/*", "*/*", ""].includes(withoutQuality(type))) return "json";
  }
  return undefined;
}

/** What a client gets of the second version of OpenAPI. */
export function chooseOpenApiV2Type(accept: string | undefined): "json" | "protobuf" | undefined {
  const clauses = parseAccept(accept === undefined || accept === "" ? "*/*" : accept);
  for (const { type } of clauses) {
    if (["application/json", "application/*", "*/*"].includes(type)) return "json";
    if (type === openApiV2Protobuf || type === oldOpenApiV2Protobuf) return "protobuf";
  }
  return undefined;
}

export const openApiV2Protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The name under which kubectl asks for it, which is no proper media type. */
const oldOpenApiV2Protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

function withoutQuality(type: string): string {
  return type.replace(/;q=[\d.]+/, "").replace(/;charset=utf-8/i, "");
}
