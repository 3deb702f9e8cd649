/** Where the type of a schema is declared. */
export interface TypeHome {
  /** The module below the folder of kinds, such as `apps/v1`. */
  readonly module: string;
  readonly type: string;
}

/** The module for what several groups share. */
export const metaModule = "meta/v1";

/** Types of meta/v1 that core has by hand, because the rest of it is built on them. */
const handWritten = new Set([
  "Condition",
  "LabelSelector",
  "LabelSelectorRequirement",
  "ListMeta",
  "ManagedFieldsEntry",
  "ObjectMeta",
  "OwnerReference",
]);

/** The home of a schema's type: the end of a full name such as `io.k8s.api.apps.v1.Deployment` holds both parts. */
export function homeOf(schemaName: string): TypeHome {
  const [type = "", version = "", group = ""] = schemaName.split(".").reverse();
  return { module: `${group}/${version}`, type };
}

export function isHandWritten({ module, type }: TypeHome): boolean {
  return module === metaModule && handWritten.has(type);
}

/** The module of a group and version: `apps/v1`, `rbac/v1` for `rbac.authorization.k8s.io/v1`, `core/v1` for `v1`. */
export function moduleOf(api: { readonly group: string; readonly version: string }): string {
  return `${api.group === "" ? "core" : api.group.split(".")[0]}/${api.version}`;
}
