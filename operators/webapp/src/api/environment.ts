import { type Keyed, type ListMap, listMap, rule, z } from "keelson";

/** One entry of a ConfigMap or a Secret. */
export interface KeyReference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A variable: a value, or where it is taken from. */
export interface WebAppVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyReference;
    readonly secretKeyRef?: KeyReference;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

/** All entries of a ConfigMap or a Secret as variables. */
export interface WebAppVariables {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
}

export type WebAppEnvironment = Keyed<WebAppVariable, "name">;

export function variables(): ListMap<z.ZodType<WebAppVariable, WebAppVariable>, "name"> {
  const keyReference = z.object({
    name: z.string().min(1),
    key: z.string().min(1),
    optional: z.boolean().exactOptional(),
  });
  const variable = z.object({
    name: z.string().min(1),
    value: z.string().exactOptional(),
    valueFrom: z
      .object({
        configMapKeyRef: keyReference.exactOptional(),
        secretKeyRef: keyReference.exactOptional(),
        fieldRef: z.object({ fieldPath: z.string().min(1) }).exactOptional(),
      })
      .exactOptional(),
  });
  return listMap(
    rule(variable, {
      rule: "!(has(self.value) && has(self.valueFrom))",
      message: "a variable has a value or takes it from elsewhere, not both",
    }),
    ["name"],
  );
}

export function variableSources(): z.ZodType<readonly WebAppVariables[], readonly WebAppVariables[]> {
  const reference = z.object({ name: z.string().min(1), optional: z.boolean().exactOptional() });
  return z.array(
    z.object({
      prefix: z.string().exactOptional(),
      configMapRef: reference.exactOptional(),
      secretRef: reference.exactOptional(),
    }),
  );
}
