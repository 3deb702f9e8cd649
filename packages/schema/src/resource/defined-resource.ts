import type {
  ClusterMeta,
  Immutable,
  NamespacedMeta,
  ObjectMeta,
  Resource,
  Scope,
  WrittenAs,
} from "@keelson/core";
import type { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { z } from "zod";
import type { FieldsSchema, PartSchema, ResourceDefinition } from "./resource-definition.ts";

/** A kind that `defineResource` made: a Resource for clients, with its schemas and its CustomResourceDefinition. */
export interface DefinedResource<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec extends PartSchema,
  Status extends PartSchema,
  ObjectScope extends Scope = "Namespaced",
  Fields extends FieldsSchema = undefined,
> extends Resource<
      ScopedObject<ObjectScope, `${Group}/${Version}`, Kind, OutputOf<Spec>, OutputOf<Status>> &
        FieldsOf<OutputOf<Fields>>
    >,
    WrittenAs<InputObject<Group, Version, Kind, Spec, Fields>> {
  readonly group: Group;
  readonly version: Version;
  readonly kind: Kind;
  readonly scope: ObjectScope;
  readonly schemas: { readonly spec: Spec; readonly status: Status };
  /** What it was made of. */
  readonly definition: ResourceDefinition<Group, Version, Kind, Spec, Status, ObjectScope, Fields>;
  /** The same every time, with the fields in alphabetical order. */
  crd(): NamedDefinition;
}

/** A CustomResourceDefinition, which is named after its kind, so that it can be applied as it is. */
export type NamedDefinition = CustomResourceDefinition & { readonly metadata: { readonly name: string } };

/** Any kind that `defineResource` made. */
export interface AnyDefinedResource extends Resource {
  readonly schemas: { readonly spec: PartSchema; readonly status: PartSchema };
  readonly definition: ResourceDefinition;
  crd(): CustomResourceDefinition;
}

/**
 * What a user may write for an object of a defined kind: fields with a default may be left out, and there is no status
 * to give.
 */
export type InputOf<R> =
  R extends DefinedResource<
    infer Group,
    infer Version,
    infer Kind,
    infer Spec,
    PartSchema,
    Scope,
    infer Fields
  >
    ? InputObject<Group, Version, Kind, Spec, Fields>
    : never;

type InputObject<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec extends PartSchema,
  Fields extends FieldsSchema,
> = Identity<`${Group}/${Version}`, Kind, ObjectMeta> &
  Part<"spec", SourceOf<Spec>> &
  FieldsOf<SourceOf<Fields>>;

type FieldsOf<Values> = [Values] extends [never] ? unknown : Immutable<Values>;

/** An object of a defined kind that is namespaced, as the server returns it: with defaults. */
export type CustomObject<ApiVersion extends string, Kind extends string, Spec, Status> = Identity<
  ApiVersion,
  Kind,
  NamespacedMeta
> &
  Parts<Spec, Status>;

/** As CustomObject, for kinds that are cluster-scoped. */
export type ClusterCustomObject<ApiVersion extends string, Kind extends string, Spec, Status> = Identity<
  ApiVersion,
  Kind,
  ClusterMeta
> &
  Parts<Spec, Status>;

type ScopedObject<
  ObjectScope extends Scope,
  ApiVersion extends string,
  Kind extends string,
  Spec,
  Status,
> = ObjectScope extends "Cluster"
  ? ClusterCustomObject<ApiVersion, Kind, Spec, Status>
  : CustomObject<ApiVersion, Kind, Spec, Status>;

interface Identity<ApiVersion extends string, Kind extends string, Meta extends ObjectMeta> {
  readonly apiVersion: ApiVersion;
  readonly kind: Kind;
  readonly metadata: Meta;
}

type Parts<Spec, Status> = Part<"spec", Spec> & Part<"status", Status | undefined>;

/** A field that is required, optional, or that the kind does not have. */
type Part<Name extends string, Value> = [Value] extends [never] | [undefined]
  ? unknown
  : undefined extends Value
    ? { readonly [Field in Name]?: Immutable<Exclude<Value, undefined>> }
    : { readonly [Field in Name]: Immutable<Value> };

type OutputOf<Schema extends PartSchema> = Schema extends z.core.$ZodType ? z.output<Schema> : never;
type SourceOf<Schema extends PartSchema> = Schema extends z.core.$ZodType ? z.input<Schema> : never;
