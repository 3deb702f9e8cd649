import { describe, expect, expectTypeOf, it } from "vitest";
import type { ApplyConfiguration } from "./apply-configuration.ts";
import { CustomResourceDefinition, type JSONSchemaProps } from "./kinds/apiextensions/v1.ts";
import { Deployment, type DeploymentList } from "./kinds/apps/v1.ts";
import {
  ConfigMap,
  type Container,
  type ContainerPort,
  Node,
  type Pod,
  type Service,
} from "./kinds/core/v1.ts";
import type { Eviction } from "./kinds/policy/v1.ts";
import type { Role } from "./kinds/rbac/v1.ts";
import type { GenericObject, KubeList, KubeObject, NamespacedMeta } from "./meta.ts";
import type { ObjectOf, Resource } from "./resource.ts";

// What expectTypeOf and @ts-expect-error say is checked by `npm run types`.

describe("a built-in kind", () => {
  it("is a value that knows the type of its objects", () => {
    expectTypeOf(Deployment).toEqualTypeOf<Resource<Deployment>>();
    expectTypeOf<ObjectOf<typeof Deployment>>().toEqualTypeOf<Deployment>();
    expect(Deployment).toEqual({
      group: "apps",
      version: "v1",
      kind: "Deployment",
      plural: "deployments",
      scope: "Namespaced",
    });
    expect(Node).toMatchObject({ group: "", scope: "Cluster" });
    expect(CustomResourceDefinition).toMatchObject({ group: "apiextensions.k8s.io" });
  });

  it("has immutable objects that name their kind", () => {
    expectTypeOf<Deployment>().toExtend<KubeObject>();
    expectTypeOf<Deployment["apiVersion"]>().toEqualTypeOf<"apps/v1">();
    expectTypeOf<Deployment["kind"]>().toEqualTypeOf<"Deployment">();
    expectTypeOf<Deployment["metadata"]>().toEqualTypeOf<NamespacedMeta>();
    expectTypeOf<DeploymentList>().toExtend<KubeList<Deployment>>();
    expectTypeOf<Eviction>().toExtend<KubeObject>();
    const map = (): ConfigMap => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
    // @ts-expect-error: the kind is a literal, so that objects of two kinds cannot be mixed up
    const other: ConfigMap = { ...map(), kind: "Secret" };
    expect(other.kind).not.toBe(ConfigMap.kind);
    // @ts-expect-error: no property of an object may be assigned
    const change = (): unknown => (map().data = {});
    expect(change).toBeTypeOf("function");
  });

  it("has the types that the OpenAPI leaves to JSON", () => {
    expectTypeOf<JSONSchemaProps["items"]>().toEqualTypeOf<
      JSONSchemaProps | readonly JSONSchemaProps[] | undefined
    >();
    expectTypeOf<JSONSchemaProps["default"]>().toEqualTypeOf<unknown>();
    expectTypeOf<NonNullable<Container["resources"]>["limits"]>().toEqualTypeOf<
      Readonly<Record<string, string>> | undefined
    >();
    expectTypeOf<NonNullable<Container["livenessProbe"]>["periodSeconds"]>().toEqualTypeOf<
      number | undefined
    >();
    expectTypeOf<ContainerPort["protocol"]>().toEqualTypeOf<"SCTP" | "TCP" | "UDP" | undefined>();
  });
});

describe("an apply configuration of a built-in kind", () => {
  it("may be any part of the object", () => {
    const scaled: ApplyConfiguration<Deployment> = { metadata: { name: "web" }, spec: { replicas: 3 } };
    const imaged: ApplyConfiguration<Deployment> = {
      metadata: { name: "web", namespace: "shop", labels: { app: "web" } },
      spec: { template: { spec: { containers: [{ name: "web", image: "nginx:1.27" }] } } },
    };
    const generic: ApplyConfiguration<GenericObject> = { metadata: { name: "a" }, spec: { size: 1 } };
    expect([scaled, imaged, generic].map(({ metadata }) => metadata.name)).toEqual(["web", "web", "a"]);
    // @ts-expect-error: what is applied is addressed by its name
    const nameless: ApplyConfiguration<Deployment> = { metadata: {}, spec: { replicas: 3 } };
    expect(nameless.metadata).toEqual({});
  });

  it("needs the keys of elements that are merged by key, and only these", () => {
    type Containers = NonNullable<NonNullable<ApplyConfiguration<Pod>["spec"]>["containers"]>;
    const keyed: Containers = [{ name: "web" }];
    // @ts-expect-error: without its name the server cannot tell which container is meant
    const unkeyed: Containers = [{ image: "nginx:1.27" }];
    // @ts-expect-error: an element within an element needs its key too
    const unkeyedVariable: Containers = [{ name: "web", env: [{ value: "1" }] }];
    expect([keyed, unkeyed, unkeyedVariable].flat()).toHaveLength(3);
  });

  it("needs no key that has a default", () => {
    const service: ApplyConfiguration<Service> = {
      metadata: { name: "web" },
      spec: { ports: [{ port: 80, targetPort: "http" }] },
    };
    expect(service.spec?.ports).toEqual([{ port: 80, targetPort: "http" }]);
  });

  it("needs a key even where the type of the element lets it be absent", () => {
    // @ts-expect-error: a reference to a secret may lack its name, an element of this list may not
    const pod: ApplyConfiguration<Pod> = { metadata: { name: "a" }, spec: { imagePullSecrets: [{}] } };
    expect(pod.spec?.imagePullSecrets).toEqual([{}]);
  });

  it("needs whole elements in lists that are replaced as one", () => {
    const whole: ApplyConfiguration<Role> = {
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    };
    const part: ApplyConfiguration<Role> = {
      metadata: { name: "reader" },
      // @ts-expect-error: the list replaces what is there, so a rule without verbs would be all that is left
      rules: [{ apiGroups: [""], resources: ["pods"] }],
    };
    expect([whole.rules, part.rules]).toHaveLength(2);
  });

  it("has no entries of maps that are undefined, which JSON could not carry", () => {
    // @ts-expect-error: an absent label is left out
    const pod: ApplyConfiguration<Pod> = { metadata: { name: "a", labels: { app: undefined } } };
    expect(JSON.stringify(pod.metadata.labels)).toBe("{}");
  });
});
