import { rule, z } from "keelson";

interface KeySelector {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A variable of the workers' environment, with a value or where it is taken from. */
export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: KeySelector;
    readonly configMapKeyRef?: KeySelector;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

/** Variables for all keys of a Secret or a ConfigMap. */
export interface EnvSource {
  readonly prefix?: string;
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
}

const name = z.string().min(1).max(253);
const optional = z.boolean().exactOptional();
const keySelector = z.object({ name, key: name, optional });

export const envVariable: z.ZodType<EnvVariable, EnvVariable> = rule(
  z.object({
    name: name.regex(/^[^=]+$/),
    value: z.string().max(32768).exactOptional(),
    valueFrom: rule(
      z.object({
        secretKeyRef: keySelector.exactOptional(),
        configMapKeyRef: keySelector.exactOptional(),
        fieldRef: z.object({ fieldPath: name }).exactOptional(),
      }),
      {
        rule: "[has(self.secretKeyRef), has(self.configMapKeyRef), has(self.fieldRef)].filter(given, given).size() == 1",
        message: "must be exactly one of secretKeyRef, configMapKeyRef, fieldRef",
      },
    ).exactOptional(),
  }),
  { rule: "!(has(self.value) && has(self.valueFrom))", message: "must have either value or valueFrom" },
);

const reference = z.object({ name, optional });

export const envSource: z.ZodType<EnvSource, EnvSource> = rule(
  z.object({
    prefix: z.string().max(253).exactOptional(),
    secretRef: reference.exactOptional(),
    configMapRef: reference.exactOptional(),
  }),
  {
    rule: "has(self.secretRef) != has(self.configMapRef)",
    message: "must be exactly one of secretRef, configMapRef",
  },
);
