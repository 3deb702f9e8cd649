import { type GenericObject, type Resource, seededRandom } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { createSandbox } from "./create-sandbox.ts";
import type { ObjectApi } from "./server/write/object-api.ts";

const tester = { manager: "tester" };
const name = "widgets.shop.example.com";

const Widget: Resource<GenericObject> = {
  group: "shop.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};

const definition: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name },
  spec: {
    group: Widget.group,
    scope: "Namespaced",
    names: { plural: Widget.plural, kind: Widget.kind },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object" } },
        subresources: { status: {} },
      },
    ],
  },
};

function widget(widgetName: string, finalizers: readonly string[] = []): GenericObject {
  return {
    apiVersion: "shop.example.com/v1",
    kind: "Widget",
    metadata: { name: widgetName, namespace: "default", finalizers },
  };
}

interface World extends AsyncDisposable {
  readonly objects: ObjectApi;
  readonly errors: unknown[];
  settle(): Promise<void>;
}

/** A whole control plane, in which the kind is served. */
async function widgetWorld(): Promise<World> {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const sandbox = await createSandbox({
    clock,
    random: seededRandom(1),
    onError: (error) => void errors.push(error),
  });
  const { objects } = sandbox;
  const settle = (): Promise<void> => clock.advance(2_000);
  await objects.create(CustomResourceDefinition, definition, tester);
  await settle();
  return { objects, errors, settle, [Symbol.asyncDispose]: () => sandbox.stop() };
}

describe("deleting a definition", () => {
  it("deletes its objects, then the definition, and the kind is no longer known", async () => {
    await using world = await widgetWorld();
    const { objects, errors, settle } = world;
    await objects.create(Widget, widget("a"), tester);
    await objects.create(Widget, widget("b"), tester);
    await objects.delete(CustomResourceDefinition, { name }, tester);
    await settle();
    expect(objects.get(CustomResourceDefinition, { name })).toBeUndefined();
    await expect(objects.create(Widget, widget("c"), tester)).rejects.toThrow();
    expect(errors).toEqual([]);
  });

  it("waits for objects that are held, and completes when the last is let go", async () => {
    await using world = await widgetWorld();
    const { objects, errors, settle } = world;
    await objects.create(Widget, widget("held", ["example.com/hold"]), tester);
    await objects.create(Widget, widget("free"), tester);
    await objects.delete(CustomResourceDefinition, { name }, tester);
    await settle();
    const waiting = objects.get(CustomResourceDefinition, { name });
    const terminating = waiting?.status?.conditions?.find(({ type }) => type === "Terminating");
    expect(terminating?.reason).toBe("InstanceDeletionInProgress");
    const [held, ...others] = objects.list(Widget, "default");
    expect(others).toEqual([]);
    expect(held?.metadata.deletionTimestamp).toBeDefined();

    await objects.update(
      Widget,
      { ...widget("held"), metadata: { ...held?.metadata, finalizers: [] } },
      tester,
    );
    await settle();
    expect(objects.get(CustomResourceDefinition, { name })).toBeUndefined();
    expect(errors).toEqual([]);
  });

  it("leaves nothing behind for a definition of the same name", async () => {
    await using world = await widgetWorld();
    const { objects, errors, settle } = world;
    await objects.create(Widget, widget("a"), tester);
    await objects.delete(CustomResourceDefinition, { name }, tester);
    await settle();
    await objects.create(CustomResourceDefinition, definition, tester);
    await settle();
    expect(objects.list(Widget, "default")).toEqual([]);
    await objects.create(Widget, widget("a"), tester);
    expect(objects.list(Widget, "default")).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it("waits for a finalizer of the definition itself", async () => {
    await using world = await widgetWorld();
    const { objects, errors, settle } = world;
    const served = objects.get(CustomResourceDefinition, { name });
    const held = { ...served?.metadata, finalizers: ["example.com/hold"] };
    await objects.update(CustomResourceDefinition, { ...definition, metadata: held }, tester);
    await objects.create(Widget, widget("a"), tester);
    await objects.delete(CustomResourceDefinition, { name }, tester);
    await settle();
    const left = objects.get(CustomResourceDefinition, { name });
    expect(left?.metadata.finalizers).toEqual(["example.com/hold"]);
    await objects.update(
      CustomResourceDefinition,
      { ...definition, metadata: { ...left?.metadata, finalizers: [] } },
      tester,
    );
    await settle();
    expect(objects.get(CustomResourceDefinition, { name })).toBeUndefined();
    expect(errors).toEqual([]);
  });
});
