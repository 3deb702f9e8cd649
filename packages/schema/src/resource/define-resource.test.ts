import type {
  ApplyConfiguration,
  ClusterMeta,
  Condition,
  NamespacedMeta,
  ObjectOf,
  Resource,
  Stored,
} from "@keelson/core";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { conditions } from "../blocks/fragments.ts";
import { listMap } from "../blocks/lists.ts";
import { SchemaError } from "../errors.ts";
import { defineResource } from "./define-resource.ts";
import type { CustomObject, InputOf } from "./defined-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

const WebApp = defineResource({
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  scope: "Namespaced",
  shortNames: ["wa"],
  categories: ["all"],
  description: "A web application.",
  spec: z.object({
    image: z.string().min(1).describe("The image to run."),
    replicas: z.int32().min(0).default(1),
    ports: listMap(z.object({ name: z.string(), port: z.int32().default(80) }), ["name"]).optional(),
  }),
  status: z.object({
    replicas: z.int32().optional(),
    phase: z.enum(["Ready", "Scaling"]).optional(),
    conditions: conditions().optional(),
  }),
  printerColumns: [{ name: "Phase", type: "string", jsonPath: ".status.phase" }],
  scale: {},
});

describe("fields beside spec and status", () => {
  const Lamp = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Lamp",
    fields: z.object({ isOn: z.boolean().default(false), colors: z.array(z.string()).optional() }),
    status: z.object({ watts: z.int32() }),
  });
  type Lamp = ObjectOf<typeof Lamp>;

  it("are typed, and part of what a user writes", () => {
    expectTypeOf<Lamp["isOn"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Lamp["colors"]>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<InputOf<typeof Lamp>["isOn"]>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<Lamp>().not.toHaveProperty("spec");
  });

  it("are in the schema", () => {
    const { properties } = Lamp.crd().spec.versions[0]?.schema?.openAPIV3Schema ?? {};
    expect(properties).toMatchObject({
      isOn: { type: "boolean", default: false },
      colors: { type: "array", items: { type: "string" } },
      status: { type: "object" },
    });
  });
});

describe("the types of a resource", () => {
  type App = ObjectOf<typeof WebApp>;

  it("are those of its objects", () => {
    expectTypeOf(WebApp).toExtend<Resource<App>>();
    expectTypeOf<App["apiVersion"]>().toEqualTypeOf<"example.com/v1">();
    expectTypeOf<App["kind"]>().toEqualTypeOf<"WebApp">();
    expectTypeOf<App["metadata"]>().toEqualTypeOf<NamespacedMeta>();
    expectTypeOf<App>().toEqualTypeOf<
      CustomObject<
        "example.com/v1",
        "WebApp",
        z.output<typeof WebApp.schemas.spec>,
        z.output<typeof WebApp.schemas.status>
      >
    >();
    expectTypeOf<App["spec"]["image"]>().toEqualTypeOf<string>();
    expectTypeOf<App["spec"]["replicas"]>().toEqualTypeOf<number>();
    expectTypeOf<NonNullable<App["status"]>["phase"]>().toEqualTypeOf<"Ready" | "Scaling" | undefined>();
    expectTypeOf<App>().toHaveProperty("spec");
    expectTypeOf<{
      apiVersion: "example.com/v1";
      kind: "WebApp";
      metadata: object;
      spec: App["spec"];
    }>().toExtend<App>();
  });

  it("have a namespace once stored if and only if the kind is namespaced", () => {
    const Marker = defineResource({ group: "example.com", version: "v1", kind: "Marker", scope: "Cluster" });
    expectTypeOf<Stored<App>["metadata"]["namespace"]>().toEqualTypeOf<string>();
    expectTypeOf<Stored<ObjectOf<typeof Marker>>["metadata"]["namespace"]>().toEqualTypeOf<
      string | undefined
    >();
  });

  it("are read-only all the way down", () => {
    const change = (app: App): void => {
      // @ts-expect-error a field is read-only
      app.spec.replicas = 2;
      // @ts-expect-error and so is a list
      app.spec.ports?.push({ name: "http", port: 80 });
    };
    expectTypeOf(change).parameter(0).toEqualTypeOf<App>();
  });

  it("let users leave out what has a default, and only that", () => {
    type Input = InputOf<typeof WebApp>;
    expectTypeOf<Input["spec"]["replicas"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Input["spec"]["image"]>().toEqualTypeOf<string>();
    expectTypeOf<Input>().not.toHaveProperty("status");
    const input: Input = {
      apiVersion: "example.com/v1",
      kind: "WebApp",
      metadata: { name: "web" },
      spec: { image: "nginx", ports: [{ name: "http" }] },
    };
    expect(WebApp.schemas.spec.parse(input.spec)).toEqual({
      image: "nginx",
      replicas: 1,
      ports: [{ name: "http", port: 80 }],
    });
  });

  it("return conditions as core has them", () => {
    type Conditions = NonNullable<NonNullable<App["status"]>["conditions"]>;
    expectTypeOf<Conditions[number]>().toExtend<Condition>();
    expectTypeOf<readonly Condition[]>().toExtend<Conditions>();
  });

  it("make an apply state the keys of a list map, and nothing else", () => {
    type Apply = ApplyConfiguration<App>;
    expectTypeOf<{ metadata: { name: string }; spec: { ports: [{ name: string }] } }>().toExtend<Apply>();
    expectTypeOf<{ metadata: { name: string }; spec: { ports: [{ port: number }] } }>().not.toExtend<Apply>();
  });

  it("have no spec and no status where none was given", () => {
    const Marker = defineResource({ group: "example.com", version: "v1", kind: "Marker", scope: "Cluster" });
    expectTypeOf<ObjectOf<typeof Marker>>().toEqualTypeOf<{
      readonly apiVersion: "example.com/v1";
      readonly kind: "Marker";
      readonly metadata: ClusterMeta;
    }>();
    expect(Marker.schemas).toEqual({ spec: undefined, status: undefined });
  });

  it("have an optional spec where its schema is optional", () => {
    const Lax = defineResource({
      ...{ group: "example.com", version: "v1", kind: "Lax", scope: "Cluster" },
      spec: z.object({ a: z.string() }).optional(),
    });
    expectTypeOf<ObjectOf<typeof Lax>["spec"]>().toEqualTypeOf<{ readonly a: string } | undefined>();
    expect(Lax.crd().spec.versions[0]?.schema?.openAPIV3Schema).not.toHaveProperty("required");
  });
});

describe("the definition of a resource", () => {
  it("addresses it", () => {
    expect(WebApp).toMatchObject({
      group: "example.com",
      version: "v1",
      kind: "WebApp",
      plural: "webapps",
      scope: "Namespaced",
    });
  });

  it("is a CustomResourceDefinition", () => {
    expect(WebApp.crd()).toMatchSnapshot();
  });

  it("is the same whatever the order of fields", () => {
    const base = { group: "example.com", version: "v1", kind: "Pair", scope: "Namespaced" } as const;
    const one = defineResource({ ...base, spec: z.object({ a: z.string(), b: z.int() }) });
    const other = defineResource({ spec: z.object({ b: z.int(), a: z.string() }), ...base });
    expect(JSON.stringify(one.crd())).toBe(JSON.stringify(other.crd()));
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(WebApp.crd().spec.versions)).toBe(true);
    expect(WebApp.crd()).toBe(WebApp.crd());
  });

  it("has all versions, and stores in the one that lists the others", () => {
    const old = defineResource({
      ...{ group: "example.com", version: "v1beta1", kind: "App", scope: "Namespaced" },
      deprecated: "use example.com/v1",
      served: false,
    });
    const current = defineResource({
      ...{ group: "example.com", version: "v1", kind: "App", scope: "Namespaced" },
      versions: [old],
      conversionWebhook: { service: { namespace: "apps", name: "webhook" } },
    });
    const { versions, conversion } = current.crd().spec;
    expect(versions).toMatchObject([
      { name: "v1", served: true, storage: true },
      {
        name: "v1beta1",
        served: false,
        storage: false,
        deprecated: true,
        deprecationWarning: "use example.com/v1",
      },
    ]);
    expect(conversion).toEqual({
      strategy: "Webhook",
      webhook: {
        clientConfig: { service: { namespace: "apps", name: "webhook" } },
        conversionReviewVersions: ["v1"],
      },
    });
  });

  it("stores in another version where that is declared the storage version", () => {
    const base = { group: "example.com", kind: "App", scope: "Namespaced" } as const;
    const old = defineResource({ ...base, version: "v1", storage: true });
    const next = defineResource({ ...base, version: "v2", versions: [old] });
    expect(next.crd().spec.versions.filter(({ storage }) => storage)).toMatchObject([{ name: "v1" }]);
  });
});

describe("a definition that Kubernetes could not take", () => {
  const sound = { group: "example.com", version: "v1", kind: "App", scope: "Namespaced" } as const;
  const spec = z.object({ color: z.string(), sizes: z.array(z.int()), replicas: z.string() });

  function problemsOf(definition: Partial<ResourceDefinition>): readonly string[] {
    try {
      defineResource({ ...sound, ...definition });
      return [];
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      return error.problems.map(({ path, problem }) => `${path}: ${problem}`);
    }
  }

  it("is refused with all its problems, where they are and what to do", () => {
    const define = (): unknown =>
      defineResource({
        ...sound,
        group: "example",
        spec: z.object({ at: z.array(z.object({ from: z.date() })) }),
      });
    expect(define).toThrow(SchemaError);
    expect(define).toThrowErrorMatchingInlineSnapshot(`
      [SchemaError: define App in example/v1: Kubernetes could not take it
        - group: "example" is not a domain with at least one dot; use a domain of yours
        - spec.at[].from: is of zod's type date, which a structural schema cannot say; use z.iso.datetime()]
    `);
  });

  it.each<[string, Partial<ResourceDefinition>, string]>([
    ["a group that is no domain", { group: "Example.com" }, 'group: "Example.com" is not a domain'],
    [
      "a group of Kubernetes",
      { group: "apps.k8s.io" },
      "group: apps.k8s.io belongs to the Kubernetes project",
    ],
    ["a kind in lower case", { kind: "webapp" }, 'kind: "webapp" is not CamelCase'],
    ["a bad version", { version: "1.0" }, 'version: "1.0" is not a DNS label'],
    ["a bad plural", { plural: "Apps" }, 'plural: "Apps" is not a DNS label'],
    ["a bad singular", { singular: "a_b" }, 'singular: "a_b" is not a DNS label'],
    ["a bad short name", { shortNames: ["ok", "-"] }, 'shortNames[1]: "-" is not a DNS label'],
    ["a bad category", { categories: [""] }, 'categories[0]: "" is not a DNS label'],
    ["no storage version", { storage: false }, "storage: objects would be stored in no version"],
    [
      "two storage versions",
      { storage: true, versions: [defineResource({ ...sound, version: "v2", storage: true })] },
      "storage: objects would be stored in v1 and v2",
    ],
    ["a version twice", { versions: [defineResource(sound)] }, "versions: names a version twice: v1, v1"],
    [
      "a version of another kind",
      { versions: [defineResource({ ...sound, kind: "Other", version: "v2" })] },
      "versions[0]: is of another group, kind, plural or scope",
    ],
    [
      "versions of versions",
      {
        versions: [
          defineResource({
            ...sound,
            version: "v2",
            versions: [defineResource({ ...sound, version: "v3" })],
          }),
        ],
      },
      "versions[0]: has versions of its own",
    ],
    ["an endless warning", { deprecated: "x".repeat(257) }, "deprecated: the warning is not one line"],
    ["a spec that is no object", { spec: z.string() }, "spec: is not an object"],
    [
      "a field of every kind",
      { fields: z.object({ kind: z.string() }) },
      "kind: is a field that every kind has",
    ],
    [
      "a column path without a dot",
      { printerColumns: [{ name: "A", type: "string", jsonPath: "spec.color" }] },
      'printerColumns[0].jsonPath: "spec.color" is not a JSON path',
    ],
    [
      "a column path in braces",
      { printerColumns: [{ name: "A", type: "string", jsonPath: "{.spec.color}" }] },
      "printerColumns[0].jsonPath",
    ],
    [
      "a column path with an open bracket",
      { printerColumns: [{ name: "A", type: "string", jsonPath: ".spec.sizes[0" }] },
      "printerColumns[0].jsonPath",
    ],
    [
      "a column without a name",
      { printerColumns: [{ name: "", type: "string", jsonPath: ".spec" }] },
      "printerColumns[0].name: is empty",
    ],
    [
      "a selectable list",
      { spec, selectableFields: [".spec.sizes"] },
      "selectableFields[0]: .spec.sizes leads to a field of type array",
    ],
    [
      "a selectable field that is not there",
      { spec, selectableFields: [".spec.x"] },
      "selectableFields[0]: .spec.x leads to no field",
    ],
    [
      "too many selectable fields",
      { spec, selectableFields: Array(9).fill(".spec.color") },
      "selectableFields: there are more than 8",
    ],
    [
      "replicas that are a string",
      { spec, scale: {} },
      "scale.specReplicasPath: .spec.replicas leads to a field of type string",
    ],
    [
      "replicas outside of the spec",
      { spec, scale: { specReplicasPath: ".replicas" } },
      'scale.specReplicasPath: ".replicas" does not start',
    ],
    ["an empty rule on the object", { rules: [{ rule: " " }] }, "(root): has an empty rule"],
  ])("is refused for %s", (_, definition, problem) => {
    expect(problemsOf(definition)).toContainEqual(expect.stringContaining(problem));
  });

  it("takes a group of Kubernetes that was approved", () => {
    const annotations = { "api-approved.kubernetes.io": "unapproved, for a test" };
    expect(problemsOf({ group: "apps.k8s.io", annotations })).toEqual([]);
  });

  it("takes filters and indexes in column paths", () => {
    const jsonPath = '.status.conditions[?(@.type=="Ready (now)")].status';
    expect(problemsOf({ printerColumns: [{ name: "Ready", type: "string", jsonPath }] })).toEqual([]);
  });
});
