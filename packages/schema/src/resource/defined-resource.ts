import type { Immutable, ObjectMeta, Resource, WrittenAs } from "@keelson/core";
import type { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import type { z } from "zod";
import type { PartSchema, ResourceDefinition } from "./resource-definition.ts";

/** A kind that `defineResource` made: a Resource for clients, with its schemas and its CustomResourceDefinition. */
export interface DefinedResource<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec extends PartSchema,
  Status extends PartSchema,
> extends Resource<CustomObject<Group, Version, Kind, OutputOf<Spec>, OutputOf<Status>>>,
    WrittenAs<InputObject<Group, Version, Kind, Spec>> {
  readonly group: Group;
  readonly version: Version;
  readonly kind: Kind;
  readonly schemas: { readonly spec: Spec; readonly status: Status };
  /** What it was made of. */
  readonly definition: ResourceDefinition<Group, Version, Kind, Spec, Status>;
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
  R extends DefinedResource<infer Group, infer Version, infer Kind, infer Spec, PartSchema>
    ? InputObject<Group, Version, Kind, Spec>
    : never;

type InputObject<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec extends PartSchema,
> = Flat<Identity<Group, Version, Kind> & Part<"spec", SourceOf<Spec>>>;

/** An object as the server gives it, defaults filled in. */
export type CustomObject<
  Group extends string,
  Version extends string,
  Kind extends string,
  Spec,
  Status,
> = Flat<Identity<Group, Version, Kind> & Part<"spec", Spec> & Part<"status", Status | undefined>>;

interface Identity<Group extends string, Version extends string, Kind extends string> {
  readonly apiVersion: `${Group}/${Version}`;
  readonly kind: Kind;
  readonly metadata: ObjectMeta;
}

/** A field that is there, may be missing, or does not exist for the kind. */
type Part<Name extends string, Value> = [Value] extends [never] | [undefined]
  ? unknown
  : undefined extends Value
    ? { readonly [Field in Name]?: Immutable<Exclude<Value, undefined>> }
    : { readonly [Field in Name]: Immutable<Value> };

type OutputOf<Schema extends PartSchema> = Schema extends z.core.$ZodType ? z.output<Schema> : never;
type SourceOf<Schema extends PartSchema> = Schema extends z.core.$ZodType ? z.input<Schema> : never;
type Flat<T> = { readonly [Field in keyof T]: T[Field] };
