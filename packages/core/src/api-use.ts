import type { Resource } from "./resource.ts";

/** One use of the API that RBAC decides on: recorded from a request, or declared for requests to come. */
export type ApiUse = ResourceUse | NonResourceUse;

/** A request for objects. In a declared use, `*` stands for every verb, group or resource, as in an RBAC rule. */
export interface ResourceUse {
  /** As RBAC names it: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, … */
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The lower-case plural. */
  readonly resource: string;
  /** Such as `status` or `scale`. */
  readonly subresource?: string;
  /** Absent for a resource without namespaces, and for a request across all of them. */
  readonly namespace?: string;
  /** Set if the use is of this one object; absent if it may be of any. */
  readonly name?: string;
}

/** A request for a path that is no resource, such as `/healthz`. A declared path may end in `*`. */
export interface NonResourceUse {
  readonly verb: string;
  readonly nonResourceUrl: string;
}

/** Some uses of a kind, or of a part of its objects: `usesOf(Deployment, ["create", "patch"])`. */
export function usesOf(
  { group, plural }: Pick<Resource, "group" | "plural">,
  verbs: readonly string[],
  subresource?: string,
): readonly ResourceUse[] {
  const part = subresource === undefined ? {} : { subresource };
  return verbs.map((verb) => ({ verb, group, resource: plural, ...part }));
}
