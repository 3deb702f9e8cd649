import { describe, expect, it } from "vitest";
import { kindModules, passingOn, type ServerApi } from "./kind-modules.ts";
import { reference, type Schema } from "./schema.ts";

const header = "// Generated from Kubernetes v9.9.9 by `npm run generate:kinds`; do not edit.\n";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const string: Schema = { type: "string" };
const pod = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" } as const;
const core = { group: "", version: "v1", kinds: [pod] };
const policy = { group: "policy", version: "v1", kinds: [] };

function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", properties };
}

function modulesOf(
  groupVersions: ServerApi["groupVersions"],
  schemas: Readonly<Record<string, Schema>>,
): Readonly<Record<string, string>> {
  const unstored = [{ group: "policy", version: "v1", kind: "Review" }];
  const api = { kubernetes: "v9.9.9", groupVersions, schemas: new Map(Object.entries(schemas)), unstored };
  return Object.fromEntries(kindModules(api));
}

describe("the modules of a server", () => {
  const schemas = {
    "io.k8s.api.policy.v1.Eviction": object({
      pod: reference("io.k8s.api.core.v1.Pod"),
      metadata: reference(`${meta}ObjectMeta`),
      options: reference(`${meta}DeleteOptions`),
      time: reference(`${meta}Time`),
    }),
    "io.k8s.api.core.v1.Pod": object({ name: string }),
    [`${meta}DeleteOptions`]: object({ uid: string }),
    [`${meta}ObjectMeta`]: object({ fields: reference(`${meta}FieldsV1`), extra: reference(`${meta}Extra`) }),
    [`${meta}Extra`]: object({ uid: string }),
    [`${meta}FieldsV1`]: { type: "object" },
    [`${meta}Status`]: object({ code: string }),
    [`${meta}Time`]: string,
  };

  it("hold a value for each kind that is served, beside its interface", () => {
    expect(
      modulesOf([core, policy], schemas)["core/v1.ts"],
    ).toBe(`${header}import type { Resource } from "../../resource.ts";

export interface Pod {
  readonly name?: string;
}

export const Pod: Resource<Pod> = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  scope: "Namespaced",
};
`);
  });

  it("import types of other groups, and of meta/v1 those that core has by hand from core", () => {
    expect(
      modulesOf([core, policy], schemas)["policy/v1.ts"],
    ).toBe(`${header}import type { ObjectMeta } from "../../meta.ts";
import type { Pod } from "../core/v1.ts";
import type { DeleteOptions } from "../meta/v1.ts";

export interface Eviction {
  readonly metadata?: ObjectMeta;
  readonly options?: DeleteOptions;
  readonly pod?: Pod;
  readonly time?: string;
}
`);
  });

  it("hold of meta/v1 what the groups need and core has not", () => {
    expect(modulesOf([core, policy], schemas)["meta/v1.ts"]).toBe(`${header}
export interface DeleteOptions {
  readonly uid?: string;
}
`);
  });

  it("are the same in whatever order the server lists things", () => {
    const reversed = Object.fromEntries(Object.entries(schemas).reverse());
    expect([...Object.entries(modulesOf([policy, core], reversed))]).toEqual([
      ...Object.entries(modulesOf([core, policy], schemas)),
    ]);
  });

  it("give an imported type another name where its own is taken", () => {
    const modules = modulesOf([core, { group: "resource.k8s.io", version: "v1", kinds: [] }], {
      "io.k8s.api.core.v1.Claim": object({ name: string }),
      "io.k8s.api.core.v1.Pod": object({}),
      "io.k8s.api.resource.v1.Claim": object({ of: reference("io.k8s.api.core.v1.Claim") }),
    });
    expect(
      modules["resource/v1.ts"],
    ).toBe(`${header}import type { Claim as CoreV1Claim } from "../core/v1.ts";

export interface Claim {
  readonly of?: CoreV1Claim;
}
`);
  });

  it("show in the metadata of a kind its scope, or that its objects are not stored", () => {
    const kinds = (["Namespaced", "Cluster"] as const).map((scope) => ({ ...pod, kind: scope, scope }));
    const gvk = (group: string, kind: string): Schema => ({
      ...object({ kind: string, metadata: reference(`${meta}ObjectMeta`) }),
      "x-kubernetes-group-version-kind": [{ group, version: "v1", kind }],
    });
    const modules = modulesOf([{ ...core, kinds }, policy], {
      "io.k8s.api.core.v1.Namespaced": gvk("", "Namespaced"),
      "io.k8s.api.core.v1.Cluster": gvk("", "Cluster"),
      "io.k8s.api.policy.v1.Review": gvk("policy", "Review"),
      "io.k8s.api.policy.v1.Scale": gvk("policy", "Scale"),
      [`${meta}ObjectMeta`]: object({}),
    });
    const metaTypes = Object.values(modules).flatMap((text) => {
      return [...text.matchAll(/kind: "(\w+)";\n {2}readonly metadata: (\w+);/g)].map(
        ([, ...types]) => types,
      );
    });
    expect(metaTypes).toEqual([
      ["Cluster", "ClusterMeta"],
      ["Namespaced", "NamespacedMeta"],
      ["Review", "UnstoredMeta"],
      ["Scale", "ObjectMeta"],
    ]);
    expect(modules["core/v1.ts"]).toContain(
      'import type { ClusterMeta, NamespacedMeta } from "../../meta.ts";',
    );
  });

  it("write a quantity as the string that the server returns", () => {
    const modules = modulesOf([core], {
      "io.k8s.api.core.v1.Pod": object({ cpu: reference("io.k8s.apimachinery.pkg.api.resource.Quantity") }),
      "io.k8s.apimachinery.pkg.api.resource.Quantity": { oneOf: [string, { type: "number" }] },
    });
    expect(modules["core/v1.ts"]).toContain("readonly cpu?: string;");
  });

  it("are an error where a kind or a reference has no schema", () => {
    expect(() => modulesOf([core], {})).toThrow("declare core/v1 Pod: it is served but has no schema");
    expect(() =>
      modulesOf([core], { "io.k8s.api.core.v1.Pod": object({ spec: reference("a.b.Spec") }) }),
    ).toThrow("look up schema a.b.Spec");
  });
});

it("passes every module on under the same path", () => {
  const modules = passingOn(new Map([["apps/v1.ts", "…"]]));
  expect([...modules]).toEqual([
    [
      "apps/v1.ts",
      expect.stringMatching(/^\/\/ Generated .*\nexport \* from "@keelson\/core\/kinds\/apps\/v1";\n$/),
    ],
  ]);
});
