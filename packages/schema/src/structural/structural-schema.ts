import type { ValidationRule } from "@keelson/core/kinds/apiextensions/v1";

/**
 * A structural schema: the part of OpenAPI v3 that a CustomResourceDefinition may use. What a value *is* (type, fields,
 * items) stands at the node itself; inside `allOf`, `anyOf`, `oneOf` and `not` there are only limits on its value.
 */
export interface StructuralSchema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: ListType;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: MapType;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** How server-side apply merges a list: as a whole, by value, or by the keys of its elements. */
export type ListType = "atomic" | "set" | "map";

/** Whether several managers may each own some fields of an object (`granular`) or one owns it whole (`atomic`). */
export type MapType = "atomic" | "granular";
