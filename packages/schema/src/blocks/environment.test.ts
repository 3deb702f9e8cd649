import type { EnvFromSource, EnvVar } from "@keelson/core/kinds/core/v1";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type EnvSource, type EnvVariable, envSources, envVariables } from "./environment.ts";

describe("the variables of a container", () => {
  it("are those of a pod", () => {
    const variables: EnvVariable[] = [
      { name: "A", value: "" },
      { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: true } } },
      { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ];
    expect(envVariables().parse(variables)).toEqual(variables);
    expectTypeOf<EnvVariable>().toExtend<EnvVar>();
  });

  it.each<[string, object]>([
    ["without a name", { name: "" }],
    ["whose name has an equals sign", { name: "a=b" }],
    ["from an entry without a key", { name: "A", valueFrom: { secretKeyRef: { name: "s" } } }],
  ])("refuse one %s", (_, variable) => {
    expect(envVariables().safeParse([variable]).success).toBe(false);
  });

  it("come from whole Secrets and ConfigMaps too", () => {
    const sources: EnvSource[] = [
      { prefix: "A_", secretRef: { name: "s" } },
      { configMapRef: { name: "c" } },
    ];
    expect(envSources().parse(sources)).toEqual(sources);
    expect(envSources().safeParse([{ secretRef: {} }]).success).toBe(false);
    expectTypeOf<EnvSource>().toExtend<EnvFromSource>();
  });
});
