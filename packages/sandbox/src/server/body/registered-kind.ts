import { draft, parseApiVersion } from "@keelson/core";
import type { ResourceRegistry } from "../../resource/resource-registry.ts";
import { DecodeError, decodeBuiltin } from "../../schema/decode.ts";
import { goQuote } from "../../status/go-quote.ts";

/** The kinds that every group version has beside its own. */
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

/** What is wrong with an apiVersion; undefined if nothing is. */
export function versionProblem(apiVersion: string): string | undefined {
  return apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

/**
 * Why an object of a built-in kind is not one of the expected kind. The server decodes it as its own kind first, so
 * problems of that come first.
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
    if (found !== undefined) decodeBuiltin({ value: draft(value) }, found.schema);
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  const internal = expected.group === "" ? "core" : (expected.group.split(".")[0] ?? "");
  return `converting (${version}.${kind}) to (${internal}.${expected.kind}): unknown conversion`;
}

type Found = ReturnType<ResourceRegistry["findKind"]>;

/** CustomResourceDefinitions and custom kinds are served by another API server. */
function builtinKind(registry: ResourceRegistry, group: string, version: string, kind: string): Found {
  const found = registry.findKind(group, version, kind);
  return found?.isCustom === true || group === "apiextensions.k8s.io" ? undefined : found;
}

function isServed(registry: ResourceRegistry, group: string, version: string): boolean {
  return registry.all().some((one) => one.group === group && one.version === version && !one.isCustom);
}
