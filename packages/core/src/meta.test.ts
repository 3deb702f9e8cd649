import { describe, expect, expectTypeOf, it } from "vitest";
import { Deployment } from "./kinds/apps/v1.ts";
import type { TokenReview } from "./kinds/authentication/v1.ts";
import type { Scale } from "./kinds/autoscaling/v1.ts";
import type { Namespace, Node, Pod } from "./kinds/core/v1.ts";
import type {
  ClusterMeta,
  GenericObject,
  KubeObject,
  NamespacedMeta,
  ObjectMeta,
  Stored,
  UnstoredMeta,
} from "./meta.ts";

// What expectTypeOf and @ts-expect-error say is checked by `npm run types`.

type Identity = Pick<Stored["metadata"], "name" | "uid" | "resourceVersion" | "creationTimestamp">;
type Strings = Readonly<Record<keyof Identity, string>>;

describe("the type of a stored object", () => {
  it("requires what the server sets, of every kind that is stored", () => {
    expectTypeOf<Stored["metadata"]>().toExtend<Strings>();
    expectTypeOf<Stored<Pod>["metadata"]>().toExtend<Strings>();
    expectTypeOf<Stored<Namespace>["metadata"]>().toExtend<Strings>();
    expectTypeOf<Stored<Scale>["metadata"]>().toExtend<Strings>();
    expectTypeOf<Stored<GenericObject>["metadata"]>().toExtend<Strings>();
  });

  it("requires a namespace of namespaced kinds only", () => {
    expectTypeOf<Stored<Pod>["metadata"]["namespace"]>().toEqualTypeOf<string>();
    expectTypeOf<Stored<Node>["metadata"]["namespace"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Stored["metadata"]["namespace"]>().toEqualTypeOf<string | undefined>();
  });

  it("adds nothing to kinds whose objects are never stored", () => {
    expectTypeOf<Stored<TokenReview>["metadata"]["name"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Stored<TokenReview>>().not.toExtend<Stored>();
  });

  it("can be used where the kind is a type parameter", () => {
    const nameOf = <T extends KubeObject>(object: Stored<T>): string => object.metadata.name;
    const asObject = <T extends KubeObject>(object: Stored<T>): T => object;
    const asStored = <T extends KubeObject>(objects: readonly Stored<T>[]): readonly Stored[] => objects;
    expectTypeOf(nameOf<Pod>).returns.toEqualTypeOf<string>();
    expectTypeOf(asObject<Pod>).returns.toEqualTypeOf<Pod>();
    expectTypeOf(asStored<Pod>)
      .parameter(0)
      .toEqualTypeOf<readonly Stored<Pod>[]>();
  });

  it("is not the type of an object that was only written down", () => {
    const deployment: Deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } };
    // @ts-expect-error: it has no uid yet
    const stored: Stored<Deployment> = deployment;
    expect(stored.kind).toBe(Deployment.kind);
  });

  it("takes metadata of unknown scope for that of any kind", () => {
    expectTypeOf<ObjectMeta>().toExtend<NamespacedMeta>();
    expectTypeOf<ObjectMeta>().toExtend<ClusterMeta>();
    expectTypeOf<ObjectMeta>().toExtend<UnstoredMeta>();
    expectTypeOf<NamespacedMeta>().not.toExtend<ClusterMeta>();
  });
});
