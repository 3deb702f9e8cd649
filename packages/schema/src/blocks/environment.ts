import type { Keyed } from "@keelson/core";
import { z } from "zod";
import { type ListMap, listMap } from "./lists.ts";
import { rule } from "./rule.ts";

/** One entry of a Secret or a ConfigMap. */
interface EntryReference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A variable of a container, with a value or where it is taken from. */
export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: EntryReference;
    readonly configMapKeyRef?: EntryReference;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

export type EnvVariables = Keyed<EnvVariable, "name">;

/** A variable for each entry of a Secret or a ConfigMap. */
export interface EnvSource {
  readonly prefix?: string;
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
}

const name = z.string().min(1).max(253);
const optional = z.boolean().exactOptional();

/** The `env` of a container, with the sources that users need. */
export function envVariables(): ListMap<z.ZodType<EnvVariable, EnvVariable>, "name"> {
  const entry = z.object({ name, key: name, optional });
  const valueFrom = rule(
    z.object({
      secretKeyRef: entry.exactOptional(),
      configMapKeyRef: entry.exactOptional(),
      fieldRef: z.object({ fieldPath: name }).exactOptional(),
    }),
    {
      rule: "[has(self.secretKeyRef), has(self.configMapKeyRef), has(self.fieldRef)].filter(given, given).size() == 1",
      message: "must be exactly one of secretKeyRef, configMapKeyRef, fieldRef",
    },
  );
  const variable = z.object({
    name: name.regex(/^[^=]+$/),
    value: z.string().max(32768).exactOptional(),
    valueFrom: valueFrom.exactOptional(),
  });
  const oneOrOther = {
    rule: "!(has(self.value) && has(self.valueFrom))",
    message: "must not have both value and valueFrom",
  };
  return listMap(rule(variable, oneOrOther), ["name"]).max(256);
}

/** The `envFrom` of a container. */
export function envSources(): z.ZodType<readonly EnvSource[], readonly EnvSource[]> {
  const reference = z.object({ name, optional });
  const source = z.object({
    prefix: z.string().max(253).exactOptional(),
    secretRef: reference.exactOptional(),
    configMapRef: reference.exactOptional(),
  });
  const oneOfThem = {
    rule: "has(self.secretRef) != has(self.configMapRef)",
    message: "must be exactly one of secretRef, configMapRef",
  };
  return z.array(rule(source, oneOfThem)).max(64);
}
