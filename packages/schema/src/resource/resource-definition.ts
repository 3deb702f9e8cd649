import type { Scope } from "@keelson/core";
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresourceScale,
  ValidationRule,
  WebhookClientConfig,
} from "@keelson/core/kinds/apiextensions/v1";
import type { z } from "zod";
import type { AnyDefinedResource } from "./defined-resource.ts";

/** The schema of a part that a kind may have or lack. */
export type PartSchema = z.core.$ZodType | undefined;

/** The schema of the fields that a kind may have beside spec and status. */
export type FieldsSchema = z.ZodObject | undefined;

/** A column of `kubectl get`, beside the name. */
export interface PrinterColumn extends CustomResourceColumnDefinition {
  readonly type: "integer" | "number" | "string" | "boolean" | "date";
  /** From the object, such as `.spec.replicas` or `.status.conditions[?(@.type=="Ready")].status`. */
  readonly jsonPath: string;
  readonly format?: "int32" | "int64" | "float" | "double" | "byte" | "date" | "date-time" | "password";
  /** Greater than 0: shown with `-o wide` only. */
  readonly priority?: number;
}

/** The definition of a kind in one version, for `defineResource`. */
export interface ResourceDefinition<
  Group extends string = string,
  Version extends string = string,
  Kind extends string = string,
  Spec extends PartSchema = PartSchema,
  Status extends PartSchema = PartSchema,
  ObjectScope extends Scope = Scope,
  Fields extends FieldsSchema = FieldsSchema,
> {
  /** A domain of yours, such as `example.com`. */
  readonly group: Group;
  readonly version: Version;
  readonly kind: Kind;
  /** Whether its objects are in namespaces. Default: `Namespaced`. */
  readonly scope?: ObjectScope;
  /** Default: the English plural of the kind, in lower case. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  /** Groups of kinds that `kubectl get` knows by one name, such as `all`. */
  readonly categories?: readonly string[];
  readonly description?: string;
  /** The desired state. Every object must have it unless the schema is optional or has a default. */
  readonly spec?: Spec;
  /** The observed state. It makes a status subresource: only writes to that change it. */
  readonly status?: Status;
  /** Further fields of the object itself, beside spec and status, such as `data` of a ConfigMap. Default: none. */
  readonly fields?: Fields;
  /** CEL rules on the object as a whole; of its metadata they see the name only. */
  readonly rules?: readonly ValidationRule[];
  /** Default: the age. */
  readonly printerColumns?: readonly PrinterColumn[];
  /** Makes a scale subresource. Its paths default to `.spec.replicas` and `.status.replicas`. */
  readonly scale?: Partial<CustomResourceSubresourceScale>;
  /** Fields that lists and watches can select by, such as `.spec.color`. */
  readonly selectableFields?: readonly string[];
  /** Whether the server serves this version. Default true. */
  readonly served?: boolean;
  /** Whether objects are stored in this version. Default: the version that lists the others in `versions`. */
  readonly storage?: boolean;
  /** Clients of this version are warned; with the text, if one is given. Default false. */
  readonly deprecated?: boolean | string;
  /** The other versions of the kind, each defined on its own. */
  readonly versions?: readonly AnyDefinedResource[];
  /** The webhook that converts between versions. Default: none, the server changes nothing but the apiVersion. */
  readonly conversionWebhook?: WebhookClientConfig;
  /** Labels and annotations of the CustomResourceDefinition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
