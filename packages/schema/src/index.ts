/** The schema library, passed on so that an operator and Keelson use one copy of it. */
export { z } from "zod";
export type { EnvSource, EnvVariable, EnvVariables } from "./blocks/environment.ts";
export { envSources, envVariables } from "./blocks/environment.ts";
export type { ImagePullSecret, ResourceRequirements } from "./blocks/fragments.ts";
export {
  conditions,
  imagePullSecrets,
  labelSelector,
  resourceRequirements,
  textResources,
} from "./blocks/fragments.ts";
export type { ListMap } from "./blocks/lists.ts";
export { atomic, listMap, listSet, sized } from "./blocks/lists.ts";
export { immutable, rule } from "./blocks/rule.ts";
export { duration, embeddedResource, intOrString, quantity } from "./blocks/scalars.ts";
export type { Incompatibility } from "./compatibility/compare-crds.ts";
export { compareCrds } from "./compatibility/compare-crds.ts";
export type { SchemaProblem } from "./errors.ts";
export { SchemaError } from "./errors.ts";
export type { RbacRulesOptions } from "./rbac/rbac-rules.ts";
export { allows, makeClusterRole, makeRole, rbacRules } from "./rbac/rbac-rules.ts";
export { defineResource } from "./resource/define-resource.ts";
export type {
  AnyDefinedResource,
  ClusterCustomObject,
  CustomObject,
  DefinedResource,
  InputOf,
} from "./resource/defined-resource.ts";
export type {
  FieldsSchema,
  PartSchema,
  PrinterColumn,
  ResourceDefinition,
} from "./resource/resource-definition.ts";
export type { MapSize } from "./structural/extension.ts";
export type { ListType, MapType, StructuralSchema } from "./structural/structural-schema.ts";
