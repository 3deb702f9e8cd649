import { ConflictError, find, InvalidError, jsonPatch, mergePatch } from "@keelson/client";
import { CrossNamespaceOwnerError, genericResource, NamespacedOwnerError } from "@keelson/core";
import { CustomResourceDefinition } from "@keelson/core/kinds/apiextensions/v1";
import { Deployment } from "@keelson/core/kinds/apps/v1";
import { ConfigMap, type Container, Secret, Service } from "@keelson/core/kinds/core/v1";
import { ClusterRole } from "@keelson/core/kinds/rbac/v1";
import { defineResource, z } from "@keelson/schema";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { applyOwned } from "../../src/object/apply-owned.ts";
import { ForeignObjectError, StaleObjectError } from "../../src/object/errors.ts";
import { appliedAnnotation, listOwned, removeOwned } from "../../src/object/owned-objects.ts";
import { type CacheLab, type CacheWorld, startCacheLab } from "../support/cache-world.ts";
import { deployment, fieldOwner, labels, ownerWorld } from "../support/owner-world.ts";

let lab: CacheLab;
beforeAll(async () => {
  lab = await startCacheLab();
});
afterAll(async () => {
  await lab?.stop();
});

const definition = defineResource({
  group: "owned.example.com",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({
    isPublic: z.boolean().optional(),
    note: z.string().optional(),
    color: z.string().default("red"),
    tags: z.array(z.string()).optional(),
    parts: z.array(z.object({ size: z.string(), weight: z.int().default(1) })).optional(),
  }),
});

/** As it is written, without what the schema adds. */
const Widget = genericResource(definition);

/** From now on the cache receives no changes of other writers. */
function goDeaf({ transport }: CacheWorld): void {
  expect(transport.blackholeStreams({ watch: true })).toBeGreaterThan(0);
}

const map = (data: Readonly<Record<string, string>>) => ({ metadata: { name: "web" }, data });

describe("applyOwned", () => {
  it("creates the object with its owner as controller, and records its field owner", async () => {
    const { client, owner, namespace } = await ownerWorld(lab);
    const { result, object } = await applyOwned(client, owner, ConfigMap, map({ a: "1" }), { fieldOwner });
    expect(result).toBe("created");
    expect(object.metadata).toMatchObject({
      namespace,
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          name: "owner",
          uid: owner.object.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      annotations: { [appliedAnnotation]: expect.stringMatching(/^owner-tests:[\w-]{16}$/) },
    });
  });

  it("makes no request but watches if nothing differs", async () => {
    const { apply, requestsSince } = await ownerWorld(lab);
    await apply(Deployment, deployment);
    requestsSince();
    expect(await apply(Deployment, deployment)).toBe("unchanged");
    expect(requestsSince()).toEqual([]);
  });

  it("finds no difference in the order of fields, nor in a kind that is stated or not", async () => {
    const { apply } = await ownerWorld(lab);
    await apply(ConfigMap, {
      metadata: { name: "web", labels: { a: "1", b: "2" } },
      data: { c: "3", d: "4" },
    });
    const other = { data: { d: "4", c: "3" }, metadata: { labels: { b: "2", a: "1" }, name: "web" } };
    expect(await apply(ConfigMap, other)).toBe("unchanged");
    const stated = { apiVersion: "v1", kind: "ConfigMap", ...other } as const;
    expect(await apply(ConfigMap, stated)).toBe("unchanged");
  });

  it("removes fields that are no longer desired", async () => {
    const { apply, client, namespace } = await ownerWorld(lab);
    await apply(ConfigMap, map({ a: "1", b: "2" }));
    expect(await apply(ConfigMap, map({ a: "1" }))).toBe("updated");
    expect((await client.get(ConfigMap, { namespace, name: "web" })).data).toEqual({ a: "1" });
    const text = (stringData: Readonly<Record<string, string>>) => ({
      metadata: { name: "web" },
      stringData,
    });
    await apply(Secret, text({ a: "1", b: "2" }));
    expect(await apply(Secret, text({ a: "1" }))).toBe("updated");
    expect((await client.get(Secret, { namespace, name: "web" })).data).toEqual({ a: "MQ==" });
  });

  it("removes the ServiceAccount of a pod template that is no longer desired, which the server keeps in two fields", async () => {
    const { apply, client, disturb, namespace } = await ownerWorld(lab);
    const runAs = (account: object) => ({
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "web", image: "web:1" }], ...account },
        },
      },
    });
    const accounts = async () => {
      const { spec } = await client.get(Deployment, { namespace, name: "web" });
      return [spec?.template.spec?.serviceAccountName, spec?.template.spec?.serviceAccount];
    };
    await apply(Deployment, runAs({ serviceAccountName: "build" }));
    expect(await accounts()).toEqual(["build", "build"]);
    expect(await apply(Deployment, runAs({}))).toBe("updated");
    expect(await accounts()).toEqual([undefined, undefined]);
    await disturb(Deployment, "web", { spec: { template: { spec: { serviceAccountName: "other" } } } });
    expect(await accounts()).toEqual(["other", "other"]);
    expect(await apply(Deployment, runAs({ serviceAccountName: "" }))).toBe("updated");
    expect(await accounts()).toEqual([undefined, undefined]);
    expect(await apply(Deployment, runAs({ serviceAccountName: "" }))).toBe("unchanged");
  });

  it.each<[string, Partial<Container>, string, Partial<Container>]>([
    [
      "a probe",
      { livenessProbe: { httpGet: { port: 80 } } },
      "/containers/0/livenessProbe/periodSeconds",
      {},
    ],
    [
      "another handler of a probe",
      { livenessProbe: { httpGet: { port: 80 } } },
      "/containers/0/livenessProbe/httpGet/path",
      { livenessProbe: { tcpSocket: { port: 80 } } },
    ],
    [
      "a variable",
      { env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
      "/containers/0/env/0/valueFrom/secretKeyRef/optional",
      { env: [] },
    ],
    [
      "a volume and its mount",
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      "/volumes/0/secret/defaultMode",
      { volumeMounts: [] },
    ],
    [
      "a mount",
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      "/containers/0/volumeMounts/0/readOnly",
      { volumeMounts: [] },
    ],
  ])("removes %s of which another field manager changed a part", async (_, before, path, after) => {
    const { client, owner, namespace } = await ownerWorld(lab);
    const options = { fieldOwner, live: lab.admin };
    const podWith = (container: Partial<Container>) => ({
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: "web", image: "web:1", ...container }],
            ...((container.volumeMounts ?? []).length > 0 && {
              volumes: [{ name: "data", secret: { secretName: "s" } }],
            }),
          },
        },
      },
    });
    await applyOwned(client, owner, Deployment, podWith(before), options);
    const value = path.endsWith("path")
      ? "/up"
      : path.endsWith("Seconds")
        ? 7
        : path.endsWith("Mode")
          ? 256
          : true;
    const edit = jsonPatch([{ op: "add", path: `/spec/template/spec${path}`, value }]);
    const key = { namespace, name: "web" };
    const { metadata } = await lab.admin.patch(Deployment, key, edit, { fieldOwner: "other" });
    await expect
      .poll(async () => (await client.get(Deployment, key)).metadata.resourceVersion)
      .toBe(metadata.resourceVersion);
    await applyOwned(client, owner, Deployment, podWith(after), options);
    const { spec } = await client.get(Deployment, key);
    const [container] = spec?.template.spec?.containers ?? [];
    const { livenessProbe, env = [], volumeMounts = [] } = container ?? {};
    expect({ livenessProbe, env, volumeMounts, volumes: spec?.template.spec?.volumes ?? [] }).toMatchObject({
      ...{ livenessProbe: undefined, env: [], volumeMounts: [], volumes: [] },
      ...after,
    });
    expect(livenessProbe?.httpGet).toBeUndefined();
    expect((await applyOwned(client, owner, Deployment, podWith(after), options)).result).toBe("unchanged");
  });

  it("does not let the digest of a Secret reveal what it holds", async () => {
    const { apply, client, namespace } = await ownerWorld(lab);
    const pin = (text: string) => ({ metadata: { name: "web" }, stringData: { pin: text } });
    const mark = async () =>
      (await client.get(Secret, { namespace, name: "web" })).metadata.annotations?.[appliedAnnotation];
    await apply(Secret, pin("1234"));
    const first = await mark();
    expect(await apply(Secret, pin("4321"))).toBe("updated");
    expect(await mark()).toBe(first);
    expect((await client.get(Secret, { namespace, name: "web" })).data).toEqual({ pin: "NDMyMQ==" });
  });

  it.each<[string, object]>([
    ["an image", { spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } } }],
    ["a number", { spec: { replicas: 2 } }],
    ["a label that is removed", { metadata: { labels: { app: null } } }],
    ["an annotation that is removed", { metadata: { annotations: { "example.com/note": null } } }],
    ["our mark that is removed", { metadata: { annotations: { [appliedAnnotation]: null } } }],
    [
      "a toleration that is added",
      { spec: { template: { spec: { tolerations: [{ operator: "Exists" }] } } } },
    ],
  ])("takes back %s", async (_, change) => {
    const { apply, disturb } = await ownerWorld(lab);
    await apply(Deployment, deployment);
    await disturb(Deployment, "web", change);
    expect(await apply(Deployment, deployment)).toBe("updated");
    expect(await apply(Deployment, deployment)).toBe("unchanged");
  });

  it("adopts an orphan if it can ask the server whether the owner still exists", async () => {
    const { apply, disturb, client, owner } = await ownerWorld(lab);
    await apply(Deployment, deployment);
    await disturb(Deployment, "web", { metadata: { ownerReferences: null } });
    await expect(apply(Deployment, deployment)).rejects.toThrow(ForeignObjectError);
    const options = { fieldOwner, live: lab.admin };
    expect((await applyOwned(client, owner, Deployment, deployment, options)).result).toBe("updated");
    expect(await apply(Deployment, deployment)).toBe("unchanged");
  });

  it("does not adopt an orphan for an owner that is being deleted, or that was replaced", async () => {
    const { apply, disturb, client, owner, namespace } = await ownerWorld(lab);
    await apply(Deployment, deployment);
    await disturb(Deployment, "web", { metadata: { ownerReferences: null } });
    const key = { namespace, name: "owner" };
    await lab.admin.patch(ConfigMap, key, mergePatch({ metadata: { finalizers: ["example.com/wait"] } }));
    await lab.admin.delete(ConfigMap, key);
    const applying = () => applyOwned(client, owner, Deployment, deployment, { fieldOwner, live: lab.admin });
    await expect(applying()).rejects.toThrow(ForeignObjectError);
    await lab.admin.patch(ConfigMap, key, mergePatch({ metadata: { finalizers: null } }));
    await lab.admin.create(ConfigMap, { metadata: key });
    await expect(applying()).rejects.toThrow(ForeignObjectError);
  });

  it("leaves alone what other field managers added: a sidecar, a variable, a volume, labels, an owner, a finalizer", async () => {
    const { apply, client, owner, namespace } = await ownerWorld(lab);
    await apply(Deployment, deployment);
    const friend = await lab.admin.create(ConfigMap, { metadata: { namespace, name: "friend" } });
    const { uid = "" } = friend.metadata;
    const spec = "/spec/template/spec";
    const added = await lab.admin.patch(
      Deployment,
      { namespace, name: "web" },
      jsonPatch([
        { op: "add", path: `${spec}/containers/0`, value: { name: "sidecar", image: "sidecar:1" } },
        { op: "add", path: `${spec}/containers/1/env/0`, value: { name: "INJECTED", value: "1" } },
        { op: "add", path: `${spec}/volumes/0`, value: { name: "certificates", emptyDir: {} } },
        { op: "add", path: "/spec/template/metadata/labels/mesh", value: "on" },
        { op: "add", path: "/metadata/labels/team", value: "a" },
        { op: "add", path: "/metadata/finalizers", value: ["example.com/theirs"] },
        {
          op: "add",
          path: "/metadata/ownerReferences/0",
          value: { apiVersion: "v1", kind: "ConfigMap", name: "friend", uid },
        },
      ]),
    );
    const version = added.metadata.resourceVersion;
    const read = () => client.get(Deployment, { namespace, name: "web" });
    await expect.poll(async () => (await read()).metadata.resourceVersion).toBe(version);
    expect(await apply(Deployment, deployment)).toBe("unchanged");
    expect(await apply(Deployment, { ...deployment, spec: { ...deployment.spec, replicas: 1 } })).toBe(
      "updated",
    );
    const { metadata, spec: stored } = await read();
    expect(metadata.ownerReferences?.map((reference) => reference.uid)).toEqual([
      uid,
      owner.object.metadata.uid,
    ]);
    expect(metadata.finalizers).toEqual(["example.com/theirs"]);
    expect(stored?.template.spec?.containers.map(({ name }) => name)).toEqual(["sidecar", "web"]);
  });

  it("leaves alone a port that another field manager put first, and corrects the owned one", async () => {
    const { apply, client, disturb, namespace } = await ownerWorld(lab);
    const service = {
      metadata: { name: "web" },
      spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
    };
    await apply(Service, service);
    const admin = { name: "admin", port: 9000, protocol: "TCP", targetPort: 9000 };
    const http = { name: "http", port: 80, protocol: "TCP", targetPort: 8080 };
    await disturb(Service, "web", { spec: { ports: [admin, http] } });
    expect(await apply(Service, service)).toBe("unchanged");
    await disturb(Service, "web", { spec: { ports: [admin, { ...http, targetPort: 8081 }] } });
    expect(await apply(Service, service)).toBe("updated");
    const { spec } = await client.get(Service, { namespace, name: "web" });
    expect(spec?.ports?.map(({ port, targetPort }) => [port, targetPort])).toEqual([
      [9000, 9000],
      [80, 8080],
    ]);
  });

  it("restores the number of a port even if another port took its name", async () => {
    const { apply, client, disturb, namespace } = await ownerWorld(lab);
    const ports = [{ name: "http", port: 80, targetPort: 8080 }];
    const service = {
      metadata: { name: "web" },
      spec: { type: "NodePort" as const, selector: labels, ports },
    };
    await apply(Service, service);
    const read = async () => (await client.get(Service, { namespace, name: "web" })).spec?.ports;
    const [first] = (await read()) ?? [];
    await disturb(Service, "web", { spec: { ports: [{ ...first, port: 81 }] } });
    expect(await apply(Service, service)).toBe("updated");
    expect(await read()).toEqual([first]);
    // Its place is taken as well.
    const theirs = { name: "theirs", port: 9000, protocol: "TCP", targetPort: 9000 };
    const swapped = [{ ...first, port: 81 }, { name: "other", port: 80, targetPort: 1 }, theirs];
    await disturb(Service, "web", { spec: { ports: swapped } });
    expect(await apply(Service, service)).toBe("updated");
    expect(await read()).toMatchObject([{ name: "http", port: 80, targetPort: 8080 }, theirs]);
    expect(await apply(Service, service)).toBe("unchanged");
    const next = [{ name: "http", port: 82, targetPort: 8080 }];
    expect(await apply(Service, { ...service, spec: { ...service.spec, ports: next } })).toBe("updated");
    expect(await read()).toMatchObject([{ name: "http", port: 82, targetPort: 8080 }, theirs]);
  });

  it("does not move a port that was moved again since the cache received it", async () => {
    const world = await ownerWorld(lab);
    const { apply, disturb, namespace } = world;
    const service = (port: number) => ({
      metadata: { name: "web" },
      spec: { selector: labels, ports: [{ name: "http", port, targetPort: 8080 }] },
    });
    await apply(Service, service(80));
    await disturb(Service, "web", service(81));
    goDeaf(world);
    const key = { namespace, name: "web" };
    const there = await lab.admin.patch(Service, key, mergePatch(service(82)));
    await expect(apply(Service, service(80))).rejects.toThrow(StaleObjectError);
    expect(await lab.admin.get(Service, key)).toEqual(there);
  });

  it("restores the number of a container's port in one step, so that its pods stay", async () => {
    const { apply, disturb } = await ownerWorld(lab);
    const container = { name: "web", image: "web:1", ports: [{ name: "http", containerPort: 80 }] };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const spec = { replicas: 0, selector: { matchLabels: labels }, template };
    await apply(Deployment, { metadata: { name: "web" }, spec });
    const proxy = { name: "proxy", image: "proxy:1", ports: [{ name: "http", containerPort: 1 }] };
    const moved = { ...container, ports: [{ name: "http", containerPort: 81 }] };
    await disturb(Deployment, "web", { spec: { template: { spec: { containers: [proxy, moved] } } } });
    expect(await apply(Deployment, { metadata: { name: "web" }, spec })).toBe("updated");
    const { spec: healed } = await disturb(Deployment, "web", { metadata: { annotations: { seen: "1" } } });
    expect(healed?.template.spec?.containers).toMatchObject([proxy, container]);
    expect(await apply(Deployment, { metadata: { name: "web" }, spec })).toBe("unchanged");
  });

  it("restores the desired member of a union: the source of a variable or a volume, the handler of a probe", async () => {
    const { apply, client, disturb, namespace } = await ownerWorld(lab);
    const container = {
      ...{ name: "web", image: "web:1", readinessProbe: { httpGet: { port: 80 } } },
      env: [
        { name: "A", value: "1" },
        { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
    };
    const wanted = {
      metadata: { name: "web" },
      spec: {
        ...{ replicas: 0, selector: { matchLabels: labels } },
        template: {
          metadata: { labels },
          spec: { containers: [container], volumes: [{ name: "v", emptyDir: {} }] },
        },
      },
    };
    await apply(Deployment, wanted);
    const read = async () =>
      (await client.get(Deployment, { namespace, name: "web" })).spec?.template.spec ?? { containers: [] };
    const before = await read();
    const fieldRef = { fieldPath: "metadata.name" };
    const theirs = {
      ...container,
      readinessProbe: { tcpSocket: { port: 80 } },
      env: ["A", "B"].map((name) => ({ name, valueFrom: { fieldRef } })),
    };
    const volumes = [{ name: "v", configMap: { name: "c" } }];
    await disturb(Deployment, "web", { spec: { template: { spec: { containers: [theirs], volumes } } } });
    expect(await apply(Deployment, wanted)).toBe("updated");
    expect(await read()).toEqual(before);
    expect(await apply(Deployment, wanted)).toBe("unchanged");
  });

  it("leaves a moved port alone if something else is refused as well", async () => {
    const { apply, client, disturb, namespace } = await ownerWorld(lab);
    const service = (targetPort: number) => ({
      metadata: { name: "web" },
      spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort }] },
    });
    await apply(Service, service(8080));
    await disturb(Service, "web", { spec: { ports: [{ name: "http", port: 81, targetPort: 8080 }] } });
    await expect(apply(Service, service(70_000))).rejects.toThrow(InvalidError);
    const { spec } = await client.get(Service, { namespace, name: "web" });
    expect(spec?.ports).toMatchObject([{ port: 81, targetPort: 8080 }]);
  });

  it("owns namespaced and cluster-scoped objects for a cluster-scoped owner", async () => {
    const { client, namespace } = await ownerWorld(lab);
    const name = `owner-of-${namespace}`;
    const owner = {
      object: await lab.admin.create(ClusterRole, { metadata: { name } }),
      resource: ClusterRole,
    };
    const inNamespace = { metadata: { name: "web", namespace }, data: { a: "1" } };
    const role = { metadata: { name: `owned-in-${namespace}` }, rules: [] };
    for (const result of ["created", "unchanged"]) {
      const results = [
        await applyOwned(client, owner, ConfigMap, inNamespace, { fieldOwner }),
        await applyOwned(client, owner, ClusterRole, role, { fieldOwner }),
      ];
      expect(results.map((each) => each.result)).toEqual([result, result]);
    }
    expect(await removeOwned(client, owner.object, ConfigMap, { namespace, name: "web" })).toBe(true);
  });

  it("keeps custom resources in the desired state, with defaults and empty values", async () => {
    await lab.admin.create(CustomResourceDefinition, definition.crd());
    const { apply, client, disturb, namespace } = await ownerWorld(lab);
    await vi.waitFor(() => lab.admin.list(Widget, { namespace }), { timeout: 30_000, interval: 100 });
    const widget = {
      metadata: { name: "web" },
      spec: { isPublic: false, note: "", tags: [], parts: [{ size: "1000m" }] },
    };
    expect(await apply(Widget, widget)).toBe("created");
    expect(await apply(Widget, widget)).toBe("unchanged");
    const { spec } = await client.get(Widget, { namespace, name: "web" });
    expect(spec).toEqual({ ...widget.spec, color: "red", parts: [{ size: "1000m", weight: 1 }] });
    const changes = [{ isPublic: null }, { tags: ["new"] }, { parts: [{ size: "1" }] }, { note: null }];
    for (const change of changes) {
      await disturb(Widget, "web", { spec: change });
      expect(await apply(Widget, widget)).toBe("updated");
      expect((await client.get(Widget, { namespace, name: "web" })).spec).toEqual(spec);
    }
    await disturb(Widget, "web", { spec: { color: "blue" } });
    expect(await apply(Widget, widget)).toBe("unchanged");
  });

  it("refuses to own what the garbage collector would delete at once", async () => {
    const { apply } = await ownerWorld(lab);
    await expect(apply(ConfigMap, { metadata: { name: "web", namespace: "default" } })).rejects.toThrow(
      CrossNamespaceOwnerError,
    );
    await expect(apply(ClusterRole, { metadata: { name: "web" } })).rejects.toThrow(NamespacedOwnerError);
  });
});

describe("a foreign object", () => {
  const other = { apiVersion: "v1", kind: "Pod", name: "other", uid: "1b4e28ba", controller: true };

  it.each<[string, object, object]>([
    ["has no controller", {}, { controller: undefined, isDeleting: false }],
    ["has another controller", { ownerReferences: [other] }, { controller: other, isDeleting: false }],
    [
      "was applied by another field owner",
      { annotations: { [appliedAnnotation]: "owner-tests-2:abc" } },
      { controller: undefined, isDeleting: false },
    ],
  ])("is refused if it %s, and left as it is", async (_, metadata, facts) => {
    const { apply, client, namespace, requestsSince } = await ownerWorld(lab);
    const there = await lab.admin.create(ConfigMap, {
      metadata: { namespace, name: "web", ...metadata },
      data: { theirs: "1" },
    });
    await expect.poll(() => find(client, ConfigMap, { namespace, name: "web" })).toBeDefined();
    requestsSince();
    const error = await apply(ConfigMap, map({ a: "1" })).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ForeignObjectError);
    expect(error).toMatchObject({ key: { namespace, name: "web" }, resource: ConfigMap, ...facts });
    expect(requestsSince()).toEqual([]);
    expect(await lab.admin.get(ConfigMap, { namespace, name: "web" })).toEqual(there);
  });

  it("is also an owned object that is being deleted, and the error names that", async () => {
    const { apply, client, disturb, namespace } = await ownerWorld(lab);
    await apply(ConfigMap, map({ a: "1" }));
    await disturb(ConfigMap, "web", { metadata: { finalizers: ["example.com/wait"] } });
    await lab.admin.delete(ConfigMap, { namespace, name: "web" });
    const read = () => client.get(ConfigMap, { namespace, name: "web" });
    await expect.poll(async () => (await read()).metadata.deletionTimestamp).toBeDefined();
    await expect(apply(ConfigMap, map({ a: "2" }))).rejects.toThrow(
      `apply configmaps ${namespace}/web: it exists already and ConfigMap owner controls it; it is being deleted`,
    );
  });

  it("is a conflict if it was created after the cache was read, even if no field conflicts", async () => {
    const world = await ownerWorld(lab);
    const { apply, client, namespace } = world;
    expect(await find(client, ConfigMap, { namespace, name: "web" })).toBeUndefined();
    goDeaf(world);
    const there = await lab.admin.create(ConfigMap, {
      metadata: { namespace, name: "web" },
      data: { theirs: "1" },
    });
    await expect(apply(ConfigMap, map({ a: "1" }))).rejects.toThrow(ConflictError);
    expect(await lab.admin.get(ConfigMap, { namespace, name: "web" })).toEqual(there);
  });

  it("is distinguished from the owned object that it replaced", async () => {
    const world = await ownerWorld(lab);
    const { apply, namespace } = world;
    await apply(ConfigMap, map({ a: "1" }));
    goDeaf(world);
    const key = { namespace, name: "web" };
    await lab.admin.delete(ConfigMap, key);
    await expect(apply(ConfigMap, map({ a: "2" }))).rejects.toThrow(ConflictError);
    const there = await lab.admin.create(ConfigMap, { metadata: key, data: { theirs: "1" } });
    const error = await apply(ConfigMap, map({ a: "2" })).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StaleObjectError);
    expect(error).toMatchObject({
      message: `apply configmaps ${namespace}/web: it has changed since it was read; read it again`,
      key,
    });
    expect(await lab.admin.get(ConfigMap, key)).toEqual(there);
  });
});

describe("listOwned", () => {
  it("returns what one of the owners controls, in the selection and of the kind", async () => {
    const { apply, client, owner, namespace } = await ownerWorld(lab);
    const createOwner = (name: string) => lab.admin.create(Secret, { metadata: { namespace, name } });
    const [second, third] = [await createOwner("second"), await createOwner("third")];
    const own = (object: typeof second, name: string) =>
      applyOwned(
        client,
        { object, resource: Secret },
        ConfigMap,
        { metadata: { name, labels } },
        { fieldOwner },
      );
    await apply(ConfigMap, { metadata: { name: "first", labels } });
    await apply(ConfigMap, { metadata: { name: "unlabelled" } });
    await apply(Secret, { metadata: { name: "secret", labels } });
    await own(second, "of-second");
    await own(third, "of-third");
    await lab.admin.create(ConfigMap, { metadata: { namespace, name: "foreign", labels } });
    const owners = [owner.object, second];
    const owned = await listOwned(lab.admin, owners, ConfigMap, {
      namespace,
      labelSelector: { matchLabels: labels },
    });
    expect(owned.map(({ metadata }) => metadata.name)).toEqual(["first", "of-second"]);
    expect(await listOwned(lab.admin, [], ConfigMap, { namespace })).toEqual([]);
  });
});

describe("removeOwned", () => {
  it("deletes what the owner controls, and nothing else", async () => {
    const { apply, client, owner, namespace } = await ownerWorld(lab);
    const key = { namespace, name: "web" };
    expect(await removeOwned(client, owner.object, ConfigMap, key)).toBe(false);
    await apply(ConfigMap, map({}));
    expect(await removeOwned(client, owner.object, ConfigMap, key)).toBe(true);
    expect(await find(client, ConfigMap, key)).toBeUndefined();
    await lab.admin.create(ConfigMap, { metadata: key });
    await expect.poll(() => find(client, ConfigMap, key)).toBeDefined();
    expect(await removeOwned(client, owner.object, ConfigMap, key)).toBe(false);
    expect(await find(lab.admin, ConfigMap, key)).toBeDefined();
  });

  it("leaves alone what is being deleted, and what took the name since the cache was read", async () => {
    const world = await ownerWorld(lab);
    const { apply, client, disturb, owner, namespace, requestsSince } = world;
    const key = { namespace, name: "web" };
    await apply(ConfigMap, map({}));
    await disturb(ConfigMap, "web", { metadata: { finalizers: ["example.com/wait"] } });
    expect(await removeOwned(client, owner.object, ConfigMap, key)).toBe(true);
    requestsSince();
    expect(await removeOwned(client, owner.object, ConfigMap, key)).toBe(false);
    expect(requestsSince()).toEqual([]);

    const second = { namespace, name: "second" };
    await apply(ConfigMap, { metadata: { name: "second" } });
    goDeaf(world);
    await lab.admin.delete(ConfigMap, second);
    await lab.admin.create(ConfigMap, { metadata: second });
    await expect(removeOwned(client, owner.object, ConfigMap, second)).rejects.toThrow(ConflictError);
    expect(await find(lab.admin, ConfigMap, second)).toBeDefined();
    await lab.admin.delete(ConfigMap, second);
    expect(await removeOwned(client, owner.object, ConfigMap, second)).toBe(false);
  });
});
