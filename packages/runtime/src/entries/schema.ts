// Tools for custom resource definitions and RBAC rules: comparisons, roles, permissions that are missing.

export type { NonResourceUse, ResourceUse } from "@keelson/core";
export { isCoveredBy } from "@keelson/core";
export type {
  AnyDefinedResource,
  ClusterCustomObject,
  EnvSource,
  EnvVariable,
  EnvVariables,
  FieldsSchema,
  ImagePullSecret,
  Incompatibility,
  ListMap,
  ListType,
  MapSize,
  MapType,
  PartSchema,
  PrinterColumn,
  RbacRulesOptions,
  ResourceDefinition,
  ResourceRequirements,
  SchemaProblem,
  StructuralSchema,
} from "@keelson/schema";
export { allows, compareCrds, makeClusterRole, makeRole, rbacRules, SchemaError } from "@keelson/schema";
export type {
  CheckPermissionsOptions,
  MissingPermission,
  PermissionReport,
} from "../manager/permissions/check-permissions.ts";
export { checkPermissions } from "../manager/permissions/check-permissions.ts";
export { formatMissing, MissingPermissionsError } from "../manager/permissions/missing-permissions.ts";
export type { NeededUse } from "../manager/permissions/needed-uses.ts";
export { neededUses, usesOfSources } from "../manager/permissions/needed-uses.ts";
