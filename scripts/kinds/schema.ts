/** The structure in an OpenAPI v3 schema; everything else in it is ignored. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly format?: string;
  readonly default?: unknown;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly SchemaKind[];
}

export interface SchemaKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Schemas by their full name, such as `io.k8s.api.apps.v1.Deployment`. */
export type Schemas = ReadonlyMap<string, Schema>;

const referencePrefix = "#/components/schemas/";

/** A schema that only points at another; the opposite of `referenceOf`. */
export function reference(name: string): Schema {
  return { $ref: referencePrefix + name };
}

/** The name of the schema that this one points at, if it does. The server wraps most references in an `allOf`. */
export function referenceOf(schema: Schema): string | undefined {
  const [only, ...more] = schema.allOf ?? [schema];
  if (more.length > 0) throw new Error("translate allOf: it joins several schemas; teach scripts/kinds to");
  return only?.$ref?.slice(referencePrefix.length);
}

/** Whether a schema becomes an interface of its own. Another schema, such as a time, is written out in place. */
export function isDeclared(schema: Schema): boolean {
  return schema.properties !== undefined;
}

/** Every schema that this one names, directly or in its parts. */
export function referencesIn(schema: Schema): readonly string[] {
  const parts = [
    ...(schema.allOf ?? []),
    ...(schema.oneOf ?? []),
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.additionalProperties ? [schema.additionalProperties] : []),
  ];
  const own = schema.$ref === undefined ? [] : [schema.$ref.slice(referencePrefix.length)];
  return [...own, ...parts.flatMap(referencesIn)];
}
