import { parseApiVersion } from "@keelson/core";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import { DecodeError, decodeBuiltin } from "../../schema/decode.ts";
import { goQuote } from "../../status/go-quote.ts";

/** What every version of a group knows beside its own kinds. */
const kindsOfAll: ReadonlySet<string> = new Set([
  "CreateOptions",
  "DeleteOptions",
  "GetOptions",
  "ListOptions",
  "PatchOptions",
  "UpdateOptions",
  "WatchEvent",
]);
const kindsOfCore: ReadonlySet<string> = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "List",
  "Status",
]);

interface Expected {
  readonly group: string;
  readonly kind: string;
}

/** Undefined for text that is a group and a version; else what is wrong with it. */
export function versionProblem(apiVersion: string): string | undefined {
  return apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

/**
 * Why an object that claims to be of a built-in kind is not one of the expected kind. It is decoded as what it claims
 * to be before anybody finds that out, so what is wrong with that comes first.
 */
export function otherKindProblem(
  registry: ResourceRegistry,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  value: Readonly<Record<string, unknown>>,
  expected: Expected,
): string {
  const { group, version } = parseApiVersion(apiVersion);
  const found = builtinKind(registry, group, version, kind);
  const isKnown =
    found !== undefined ||
    builtinKind(registry, group, version, kind.replace(/List$/, "")) !== undefined ||
    (isServed(registry, group, version) && kindsOfAll.has(kind)) ||
    (apiVersion === "v1" && kindsOfCore.has(kind));
  if (!isKnown) {
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  }
  try {
    if (found !== undefined) decodeBuiltin({ value: structuredClone(value) }, found.schema);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  const internal = expected.group === "" ? "core" : (expected.group.split(".")[0] ?? "");
  return `converting (${version}.${kind}) to (${internal}.${expected.kind}): unknown conversion`;
}

type Found = ReturnType<ResourceRegistry["findKind"]>;

/** Definitions and what they define are of another server's making. */
function builtinKind(registry: ResourceRegistry, group: string, version: string, kind: string): Found {
  const found = registry.findKind(group, version, kind);
  return found?.isCustom === true || group === "apiextensions.k8s.io" ? undefined : found;
}

function isServed(registry: ResourceRegistry, group: string, version: string): boolean {
  return registry.all().some((one) => one.group === group && one.version === version && !one.isCustom);
}
