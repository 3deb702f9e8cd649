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

function withoutQuality(type: string): string {
  return type.replace(/;q=[\d.]+/, "").replace(/;charset=utf-8/i, "");
}
