import { isRecord } from "@keelson/core";
import type { ValidationRule } from "@keelson/core/kinds/apiextensions/v1";
import { z } from "zod";
import type { ListType, StructuralSchema } from "./structural-schema.ts";

const brand: unique symbol = Symbol.for("@keelson/schema-extension");

export interface MapSize {
  /** Default 0. */
  readonly min?: number;
  /** Default: no limit. */
  readonly max?: number;
}

/** What a zod schema declares for Kubernetes beyond what zod can express. */
export interface Extension {
  readonly rule?: ValidationRule;
  /** The message for a user who changes the value. */
  readonly immutable?: string;
  readonly listType?: ListType;
  readonly listMapKeys?: readonly string[];
  /** Lists and maps are owned as a whole. */
  readonly atomic?: true;
  /** How many entries a map has at least and at most. */
  readonly mapSize?: MapSize;
  /** A format that Kubernetes knows and zod does not. */
  readonly format?: string;
  /** The structural schema of this node, word for word, instead of what would be made of the zod schema. */
  readonly node?: StructuralSchema;
}

/**
 * The schema with the extension on it. It rides along as a check that checks nothing: unlike metadata, checks survive
 * `.min()`, `.extend()` and the like, and zod refuses the operations that would lose them.
 */
export function extend<S extends z.ZodType>(schema: S, extension: Extension): S {
  const def: z.core.$ZodCheckDef = Object.assign({ check: "kubernetes" }, { extension, [brand]: true });
  const check = new z.core.$ZodCheck(def);
  check._zod.check = () => undefined;
  return schema.check(check);
}

/** The extension that a check is there for; undefined for zod's own checks. Also knows those of other copies of this package. */
export function extensionOf(check: z.core.$ZodCheck<never>): Extension | undefined {
  const def: unknown = check._zod.def;
  return isExtensionDef(def) ? def.extension : undefined;
}

function isExtensionDef(def: unknown): def is { readonly extension: Extension } {
  return isRecord(def) && Reflect.get(def, brand) === true;
}

/** The extensions of a schema and of what it wraps, innermost first. */
export function extensionsWithin(schema: z.core.$ZodType): readonly Extension[] {
  const def: unknown = schema._zod.def;
  const inner =
    isRecord(def) && def.innerType instanceof z.core.$ZodType ? extensionsWithin(def.innerType) : [];
  return [...inner, ...ownExtensions(schema)];
}

export function ownExtensions(schema: z.core.$ZodType): readonly Extension[] {
  return (schema._zod.def.checks ?? []).map(extensionOf).filter((extension) => extension !== undefined);
}
