import type { ClusterAccess } from "@keelson/client";
import { metadataOnly, type ObjectOf, projected, usesOf } from "@keelson/core";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, Secret } from "@keelson/core/kinds/core/v1";
import { conditions, defineResource, z } from "@keelson/schema";
import { describe, expect, expectTypeOf, it } from "vitest";
import { managerWorld } from "../../test/support/manager/manager-world.ts";
import { cacheKind } from "../cache/cache-settings.ts";
import { controller } from "../controller/builder.ts";
import { controllerFor } from "../controller/key-builder.ts";
import { admission } from "../webhook/admission.ts";
import { InvalidManagerError } from "./errors.ts";
import {
  defineOperator,
  InvalidSettingsError,
  type Operator,
  operatorCacheKinds,
  operatorUses,
} from "./operator.ts";

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

describe("the parts that an operator makes", () => {
  const settings = z.object({ secrets: z.boolean().default(true), limit: z.int32().default(1) });
  /** The limits of the queues that were made, in order. */
  const operatorWith = (queues: { limit: number; keys: string[] }[]) =>
    defineOperator({
      name: "gadgets",
      settings,
      uses: usesOf(ConfigMap, ["get"]),
      controllers: [controller(Plain).reconcile(nothing)],
      parts: ({ settings: { secrets, limit }, metrics, clock, log }) => {
        const queue = { limit, keys: [] as string[] };
        queues.push(queue);
        const sent = metrics.counter({ name: "gadgets_sent_total", help: "Sent." }).with();
        const gadgets = controllerFor<string>({ name: "gadgets", formatKey: String })
          .settings(settings)
          .uses(...usesOf(Deployment, ["patch"]))
          .watches(metadataOnly(secrets ? Secret : ConfigMap), ({ metadata }) => [metadata.name ?? ""])
          .reconcileKey(({ key, settings: chosen }) => {
            expectTypeOf(chosen.limit).toEqualTypeOf<number>();
            queue.keys.push(key);
          });
        return {
          controllers: [gadgets],
          cache: [cacheKind(Secret, { labelSelector: `limit=${limit}` })],
          uses: usesOf(Secret, ["get"]),
          setup: (manager) => {
            expect([clock, log]).toEqual([manager.clock, manager.log]);
            sent.add(limit);
            manager.add({ name: "queue", run: async () => undefined });
          },
        };
      },
    });
  const usedBy = (operator: Operator) =>
    operatorUses(operator).map((use) => ("resource" in use ? `${use.verb} ${use.resource}` : ""));

  it("are declared as the settings make them, by default as the defaults do", () => {
    const operator = operatorWith([]);
    expect(usedBy(operator)).toEqual(
      expect.arrayContaining(["get configmaps", "get secrets", "list secrets", "patch deployments"]),
    );
    expect(operator.cache).toEqual([{ resource: Secret, settings: { labelSelector: "limit=1" } }]);
    const chosen = operator.withSettings({ secrets: false, limit: 5 });
    expect(usedBy(chosen)).toContain("list configmaps");
    expect(usedBy(chosen)).not.toContain("list secrets");
    expect(operatorCacheKinds([chosen])).toEqual([
      { resource: Secret, settings: { labelSelector: "limit=5" } },
    ]);
    expect(() => operator.withSettings({ limit: "all" })).toThrow(InvalidSettingsError);
  });

  it("are made once for each manager, with its metrics and the chosen settings", async () => {
    const queues: { limit: number; keys: string[] }[] = [];
    const operator = operatorWith(queues).withSettings({ limit: 3 });
    for (const chosen of [undefined, { limit: 4 }]) {
      const { manager } = managerWorld();
      queues.length = 0;
      await operator.setup(manager, chosen);
      const limit = chosen?.limit ?? 3;
      expect(queues.map((queue) => queue.limit)).toEqual([limit]);
      expect(await manager.metrics.render()).toContain(`gadgets_sent_total ${limit}`);
      expect(manager.kinds).toEqual(["Plain.example.com"]);
    }
  });

  it("are made with the way to the cluster of their manager, if they are to run", async () => {
    const seen: unknown[] = [];
    const operator = defineOperator({
      name: "gadgets",
      parts: ({ access, liveClient, env }) => {
        seen.push({ access, liveClient, env });
        return {};
      },
    });
    expect(seen).toEqual([{ access: undefined, liveClient: undefined, env: {} }]);
    const access: ClusterAccess = {
      ...{ server: "https://api:6443", namespace: "default", refused: () => undefined },
      ...{ tls: async () => ({ insecure: false }), headers: async () => ({}) },
    };
    const { manager } = managerWorld({ access, env: { PATH: "/usr/bin" } });
    await operator.setup(manager);
    const { liveClient } = manager;
    expect(seen[1]).toEqual({ access, liveClient, env: { PATH: "/usr/bin" } });
  });

  it("may have kinds whose group is a setting, beside those of the definition", () => {
    const grouped = z.object({ group: z.string().default("example.com") });
    const kindIn = (group: string) =>
      defineResource({ group, version: "v1", kind: "Grouped", spec: z.object({}) });
    const groupsOf = ({ resources }: Operator) => resources.map(({ group, kind }) => `${kind}.${group}`);
    const operator = defineOperator({
      name: "grouped",
      settings: grouped,
      resources: [Plain],
      controllers: [controller(Gadget).reconcile(nothing)],
      parts: ({ settings: { group } }) => ({ resources: [kindIn(group)] }),
    });
    expect(groupsOf(operator)).toEqual(["Plain.example.com", "Grouped.example.com"]);
    const chosen = operator.withSettings({ group: "acme.dev" });
    expect(groupsOf(chosen)).toEqual(["Plain.example.com", "Grouped.acme.dev"]);
    const implicit = defineOperator({
      name: "implicit",
      settings: grouped,
      parts: ({ settings: { group } }) => ({ controllers: [controller(kindIn(group)).reconcile(nothing)] }),
    });
    expect(groupsOf(implicit.withSettings({ group: "acme.dev" }))).toEqual(["Grouped.acme.dev"]);
  });

  it("need a default for each setting", () => {
    const required = z.object({ limit: z.int32() });
    expect(() => defineOperator({ name: "gadgets", settings: required, parts: () => ({}) })).toThrow(
      'define operator "gadgets": it has parts, so each of its settings needs a default, or must be optional',
    );
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

  it("keeps the metadata and the projections of a kind apart from its objects", () => {
    const SecretName = projected(Secret, { name: "name", project: () => ({}) });
    for (const resource of [metadataOnly(Secret), SecretName])
      expect(operatorCacheKinds([using("a", [resource, labelled]), using("b")])).toHaveLength(1);
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
