import { metadataOnly, type ObjectOf } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Secret } from "@keelson/core/kinds/core/v1";
import { conditions, defineResource, z } from "@keelson/schema";
import { describe, expect, expectTypeOf, it } from "vitest";
import { managerWorld } from "../../test/support/manager/manager-world.ts";
import { cacheKind } from "../cache/cache-settings.ts";
import { controller } from "../controller/builder.ts";
import { admission } from "../webhook/admission.ts";
import { InvalidManagerError } from "./errors.ts";
import { defineOperator, InvalidSettingsError, operatorCacheKinds, operatorUses } from "./operator.ts";

const Gadget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Gadget",
  spec: z.object({ size: z.int32() }),
  status: z.object({ count: z.int32(), conditions: conditions().exactOptional() }),
});
const Plain = defineResource({ group: "example.com", version: "v1", kind: "Plain", spec: z.object({}) });

const nothing = () => undefined;

describe("an operator", () => {
  it("adds to a manager what it consists of, and declares what it uses", async () => {
    const world = managerWorld();
    const uses = [{ verb: "patch", group: "apps", resource: "deployments" }];
    const declared: unknown[] = [];
    world.manager.declareUses = (...args) => void declared.push(args);
    const operator = defineOperator({
      name: "webapp",
      uses,
      setup: (manager) => manager.add(world.runnable("web")),
    });
    expect(operator.resources).toEqual([]);
    await operator.setup(world.manager);
    await world.start();
    expect(declared).toEqual([["operator webapp", uses]]);
    expect(world.history).toContain("start web");
    await world.stop();
    await world.running;
  });

  it("makes a controller with metrics of its own for each manager, and declares the same for all", async () => {
    const counting = defineOperator({
      name: "counting",
      controllers: [
        (metrics) => {
          const runs = metrics.counter({ name: "gadget_runs_total", help: "Runs." }).with();
          return controller(Gadget).reconcile(() => runs.add());
        },
      ],
    });
    expect(counting.resources).toEqual([Gadget]);
    expect(operatorUses(counting)).toHaveLength(3);
    for (const { manager } of [managerWorld(), managerWorld()]) {
      await counting.setup(manager);
      expect(await manager.metrics.render()).toContain("gadget_runs_total 0");
      expect(manager.kinds).toEqual(["Gadget.example.com"]);
    }
  });

  it("has a name that manifests can carry", () => {
    expect(() => defineOperator({ name: "Web App", setup: () => undefined })).toThrow(InvalidManagerError);
  });

  it("has the kinds of its controllers and webhooks that were defined, each once", () => {
    const { resources } = defineOperator({
      name: "gadgets",
      controllers: [
        controller(Gadget).owns(Plain).reconcile(nothing),
        controller(ConfigMap).named("maps").reconcile(nothing),
      ],
      webhooks: [admission(Gadget).validate(nothing), admission(Plain).validate(nothing)],
    });
    expect(resources).toEqual([Gadget, Plain]);
  });
});

describe("the permissions of an operator", () => {
  const usesOfController = (definition: ReturnType<typeof gadgets>) =>
    operatorUses(defineOperator({ name: "gadgets", controllers: [definition] }))
      .filter((use) => "resource" in use)
      .map(({ verb, resource, subresource }) =>
        subresource === undefined ? `${verb} ${resource}` : `${verb} ${resource}/${subresource}`,
      );
  const gadgets = (build: (builder: ReturnType<typeof controller<Gadget>>) => typeof builder) =>
    build(controller(Gadget)).reconcile(nothing);

  it("follow from a status schema", () => {
    expect(usesOfController(gadgets((builder) => builder))).toEqual([
      "list gadgets",
      "watch gadgets",
      "patch gadgets/status",
    ]);
    const plain = controller(Plain).reconcile(nothing);
    expect(operatorUses(defineOperator({ name: "plain", controllers: [plain] }))).toHaveLength(2);
  });

  it("follow from owned kinds, and can be narrowed", () => {
    const uses = usesOfController(
      gadgets((builder) => builder.owns(ConfigMap).owns(Secret, { verbs: ["create"] })),
    );
    expect(uses).toEqual(
      expect.arrayContaining([
        ...["list", "watch", "create", "patch", "delete"].map((verb) => `${verb} configmaps`),
        ...["list", "watch", "create"].map((verb) => `${verb} secrets`),
        "update gadgets/finalizers",
      ]),
    );
    expect(uses).not.toContain("delete secrets");
    expect(new Set(uses).size).toBe(uses.length);
  });

  it("follow from watches and finalizers", () => {
    const uses = usesOfController(
      gadgets((builder) =>
        builder
          .watches(Deployment, () => [])
          .finalize("example.com/a", nothing)
          .dropFinalizer("example.com/b"),
      ),
    );
    expect(uses).toEqual(expect.arrayContaining(["list deployments", "watch deployments", "patch gadgets"]));
    expect(uses).not.toContain("patch deployments");
    expect(new Set(uses).size).toBe(uses.length);
  });
});

describe("the settings of an operator", () => {
  const settings = z.object({ image: z.string().default("web:1"), replicas: z.int32().max(9) });
  const operator = (seen: unknown[]) =>
    defineOperator({
      name: "gadgets",
      settings,
      controllers: [
        controller(Gadget)
          .settings(settings)
          .reconcile(({ settings: { image, replicas } }) => void seen.push(image, replicas)),
        controller(Plain).reconcile(nothing),
      ],
      setup: (_manager, chosen) => void seen.push(chosen),
    });

  it("are parsed with their defaults, for its controllers and its setup", async () => {
    const world = managerWorld();
    const seen: unknown[] = [];
    await operator(seen).setup(world.manager, { replicas: 3 });
    expect(seen).toEqual([{ image: "web:1", replicas: 3 }]);
  });

  it("are refused with all problems at once if they do not fit", () => {
    const world = managerWorld();
    const setUp = () => operator([]).setup(world.manager, { image: 1, replicas: 10 });
    expect(setUp).toThrow(InvalidSettingsError);
    expect(setUp).toThrow(/^set up operator gadgets: image: .*; replicas: /);
    expect(() => operator([]).setup(world.manager)).toThrow(/replicas: /);
  });
});

describe("what operators cache together", () => {
  const using = (name: string, ...cache: Parameters<typeof cacheKind>[]) =>
    defineOperator({
      name,
      controllers: [
        controller(Gadget)
          .named(name)
          .watches(Secret, () => [])
          .reconcile(nothing),
      ],
      cache: cache.map(([resource, chosen]) => cacheKind(resource, chosen)),
    });
  const labelled = { labelSelector: "app=web" };

  it("is what all of them declare", () => {
    const kinds = operatorCacheKinds([using("a", [Secret, labelled]), using("b", [Secret, labelled])]);
    expect(kinds).toEqual([{ resource: Secret, settings: labelled }]);
  });

  it("is refused if one of them would not see objects that it needs", () => {
    const shrunk = using("a", [Secret, labelled]);
    const conflict = /^run operators a and b together: they cache different secrets/;
    expect(() => operatorCacheKinds([shrunk, using("b")])).toThrow(conflict);
    expect(() => operatorCacheKinds([shrunk, using("b", [Secret, { labelSelector: "app=db" }])])).toThrow(
      conflict,
    );
  });

  it("keeps the metadata of a kind apart from its objects", () => {
    const kinds = operatorCacheKinds([using("a", [metadataOnly(Secret), labelled]), using("b")]);
    expect(kinds).toHaveLength(1);
  });
});

type Gadget = ObjectOf<typeof Gadget>;

describe("the types of a context", () => {
  it("make the name of what was read a string, and the status what the schema declares", () => {
    controller(Gadget).reconcile(async ({ object, apply, setStatus, setCondition, settings }) => {
      expectTypeOf(object.metadata.name).toEqualTypeOf<string>();
      expectTypeOf(object.metadata.namespace).toEqualTypeOf<string>();
      expectTypeOf(object.spec.size).toEqualTypeOf<number>();
      expectTypeOf(settings).toBeUnknown();
      const applied = await apply(ConfigMap, { metadata: { name: object.metadata.name } });
      expectTypeOf(applied.metadata.uid).toEqualTypeOf<string>();
      await setStatus({ count: 1 });
      await setCondition({ type: "Ready", status: "True", reason: "Done", message: "" });
      // @ts-expect-error: the status has no such field
      await setStatus({ cuont: 1 });
      // @ts-expect-error: a ConfigMap has no such field
      await apply(ConfigMap, { metadata: { name: "a" }, dta: {} });
      // @ts-expect-error: a condition has a reason
      await setCondition({ type: "Ready", status: "True", message: "" });
    });
  });

  it("refuse a condition of a kind whose status has none, and settings of another operator", () => {
    controller(Plain).reconcile(async ({ setCondition }) => {
      // @ts-expect-error: the status of this kind has no conditions
      await setCondition({ type: "Ready", status: "True", reason: "Done", message: "" });
    });
    const sized = controller(Gadget)
      .settings(z.object({ size: z.int32() }))
      .reconcile(nothing);
    // @ts-expect-error: the operator has no settings, and its controller reads some
    defineOperator({ name: "gadgets", controllers: [sized] });
  });
});
