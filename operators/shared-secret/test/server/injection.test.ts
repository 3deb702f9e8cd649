import { startWorld, type World } from "@keelson/testkit";
import { admission, defineOperator, type KubeObject, type Resource } from "keelson";
import { MutatingWebhookConfiguration } from "keelson/kinds/admissionregistration/v1";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "keelson/kinds/apps/v1";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { Pod, Secret, ServiceAccount } from "keelson/kinds/core/v1";
import { ownerReferenceTo } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consumerAnnotation, injectedAnnotation, rotatorAccountOf } from "../../src/api/names.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { podAdmission, podAdmissionUses } from "../../src/webhook/pod-admission.ts";
import { InjectionSpace, podSpec } from "../support/injection-space.ts";

const image = "registry.example.com/rotator:1";

/** The webhook alone: tests write the decisions themselves. */
const injector = defineOperator({
  name: "shared-secret",
  resources: [SharedSecret],
  webhooks: [podAdmission({ rotatorImages: new Map([["postgres", image]]) })],
  uses: podAdmissionUses,
});

const lateLabel = { late: "yes" };

/** A webhook that the API server calls after the others, and that adds a container. */
const late = defineOperator({
  name: "zz-late",
  webhooks: [
    admission(Pod, { name: "late.example.com", objectSelector: { matchLabels: lateLabel } }).mutate(
      ({ object }) => {
        const added = { name: "late", image: "nginx:1", env: [{ name: "LATE", value: "<db>" }] };
        object.spec?.containers.push(added);
      },
      { operations: ["CREATE"] },
    ),
  ],
});

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await world.runOperator(injector, { webhooks: true });
  await world.runOperator(late, { webhooks: true });
});
afterAll(() => world?.stop());

const env = (name: string, key = "value") => [
  { name: "PASSWORD", valueFrom: { secretKeyRef: { name, key } } },
];

describe("a pod that may have what it asks for", () => {
  it("gets references to the Secret, and never its value", async () => {
    const space = await InjectionSpace.create(world);
    const { namespace } = space;
    const secret = await space.createSecret("db");
    const data = { value: Buffer.from("s3cr3t-value").toString("base64") };
    await world.client.create(Secret, { metadata: { namespace, name: "db-secret" }, data });
    await space.approve(secret, [{ consumer: `${namespace}/web`, permission: "ReadOnly" }]);
    const annotations = { ...space.asking({ ro: "db" }), "vault.keelson.dev/mount-path": "/etc/s" };
    const pod = await space.createPod("web", annotations, { spec: podSpec("<db>") });
    expect(pod.metadata.annotations).toMatchObject({
      [consumerAnnotation]: `${namespace}/web`,
      [injectedAnnotation]: `${namespace}/db:ReadOnly`,
    });
    expect(pod.spec?.containers[0]?.env).toEqual(env("db-secret"));
    const mount = { name: "shared-secret-1", mountPath: `/etc/s/${namespace}/db`, readOnly: true };
    expect(pod.spec?.containers[0]?.volumeMounts).toContainEqual(mount);
    await expect.poll(async () => (await space.get(Pod, "web")).status?.phase).toBe("Running");
    expect(await space.kubectl("get", "pods,events", "-o", "yaml")).not.toContain("s3cr3t-value");
  });

  it("gets references to the copy of a Secret of another namespace", async () => {
    const [space, other] = [await InjectionSpace.create(world), await InjectionSpace.create(world)];
    const secret = await other.createSecret("db");
    await space.approve(secret, [{ consumer: `${space.namespace}?app=web`, permission: "ReadOnly" }]);
    const ro = `${other.namespace}/db`;
    const pod = await space.createPod("web", space.asking({ ro }), {
      metadata: { labels: { app: "web" } },
      spec: podSpec(`<${ro}#password>`),
    });
    expect(pod.spec?.containers[0]?.env).toEqual(env(`${other.namespace}.db-secret`, "password"));
  });

  it("gets them also in a container that another webhook has added", async () => {
    const space = await InjectionSpace.create(world);
    const secret = await space.createSecret("db");
    const consumer = `${space.namespace}/web`;
    await space.approve(secret, [{ consumer, permission: "ReadOnly" }]);
    const choice = { metadata: { labels: lateLabel }, spec: podSpec("<db>") };
    const pod = await space.createPod("web", space.asking({ ro: "db" }), choice);
    const secretKeyRef = { name: "db-secret", key: "value" };
    expect(pod.spec?.containers.map((container) => container.env)).toEqual([
      [{ name: "PASSWORD", valueFrom: { secretKeyRef } }],
      [{ name: "LATE", valueFrom: { secretKeyRef } }],
    ]);
  });
});

describe("a pod that may not have all that it asks for", () => {
  it("is created without it, and kubectl says what it waits for", async () => {
    const space = await InjectionSpace.create(world);
    const { namespace } = space;
    const secret = await space.createSecret("db");
    await space.createSecret("api");
    await space.approve(secret, [{ consumer: `${namespace}/web`, permission: "ReadOnly" }]);
    const annotations = {
      ...space.asking({ ro: "db,missing", rw: "api" }),
      [consumerAnnotation]: "mine",
      [injectedAnnotation]: "mine",
    };
    expect(await space.warningsOf("web", annotations, { spec: podSpec("<db>") })).toEqual([
      `${namespace}/web waits for approval that SharedSecret ${namespace}/api is shared; the pod runs without it and is restarted when it is approved`,
      `${namespace}/web waits for SharedSecret ${namespace}/missing, which does not exist; the pod runs without it and is restarted when it exists and access is approved`,
    ]);
    const { metadata, spec } = await space.get(Pod, "web");
    expect(metadata.annotations).toMatchObject({
      [consumerAnnotation]: `${namespace}/web`,
      [injectedAnnotation]: "",
    });
    expect(spec?.containers[0]?.env).toEqual([{ name: "PASSWORD", value: "<db>" }]);
  });

  it.each<[string, object, string]>([
    ["an impossible name", { "vault.keelson.dev/secret-ro": "a/b/c" }, "write namespace/name"],
    ["an unknown annotation", { "vault.keelson.dev/secret-x": "a" }, "it is not known; write"],
    [
      "no name and no controller",
      { "vault.keelson.dev/secret-ro": "db" },
      "a pod without a controller needs a name",
    ],
  ])("is denied for %s", async (_title, annotations, message) => {
    const space = await InjectionSpace.create(world);
    const metadata = { namespace: space.namespace, generateName: "web-", annotations };
    const input = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec: podSpec() });
    const { stderr } = await world.cluster.tryKubectl(["create", "-f", "-"], { input });
    expect(stderr).toContain('admission webhook "mutate.pods.vault.keelson.dev" denied the request: ');
    expect(stderr).toContain(message);
  });

  it("is left alone if that is switched off", async () => {
    const space = await InjectionSpace.create(world);
    const annotations = { ...space.asking({ ro: "/" }), "tororu.zondax.io/managed": "false" };
    const claimed = { ...annotations, [injectedAnnotation]: "mine" };
    const { metadata } = await space.createPod("web", claimed, { spec: podSpec("<a/b>") });
    expect(metadata.annotations).toEqual(annotations);
  });
});

describe("the consumer that a pod belongs to", () => {
  const labels = { app: "web" };
  const selector = { matchLabels: labels };
  const template = (space: InjectionSpace, spec: object = {}) => ({
    metadata: { labels, annotations: space.asking({ ro: "db" }) },
    spec: { ...podSpec(), ...spec },
  });

  /** The consumers in the annotations of all pods. */
  async function consumersIn(space: InjectionSpace): Promise<readonly (string | undefined)[]> {
    return (await space.list(Pod)).map(({ metadata }) => metadata.annotations?.[consumerAnnotation]);
  }

  it.each<[Resource<KubeObject>, (space: InjectionSpace) => object]>([
    [Deployment, (space) => ({ selector, template: template(space) })],
    [ReplicaSet, (space) => ({ selector, template: template(space) })],
    [StatefulSet, (space) => ({ selector, serviceName: "web", template: template(space) })],
    [DaemonSet, (space) => ({ selector, template: template(space) })],
    [Job, (space) => ({ template: template(space, { restartPolicy: "Never" }) })],
  ])("is its $kind", async (resource, specOf) => {
    const space = await InjectionSpace.create(world);
    const { group, version, kind } = resource;
    await space.applyManifest({
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name: "web" },
      spec: specOf(space),
    });
    await expect.poll(() => consumersIn(space)).toEqual([`${space.namespace}/${kind}/web`]);
  });

  it("is the CronJob of its Job", async () => {
    const space = await InjectionSpace.create(world);
    const metadata = { namespace: space.namespace, name: "nightly" };
    const spec = { template: template(space, { restartPolicy: "Never" }) };
    const nightly = await world.client.create(CronJob, {
      metadata,
      spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec } },
    });
    const ownerReferences = [ownerReferenceTo({ resource: CronJob, object: nightly }, { controller: true })];
    await world.client.create(Job, { metadata: { ...metadata, name: "nightly-1", ownerReferences }, spec });
    await expect.poll(() => consumersIn(space)).toEqual([`${space.namespace}/CronJob/nightly`]);
  });

  it("is the ReplicaSet that does not exist any more, and not another one of its name", async () => {
    const space = await InjectionSpace.create(world);
    const { namespace } = space;
    const metadata = { namespace, name: "web" };
    const spec = { replicas: 0, selector, template: template(space) };
    const deployment = await world.client.create(Deployment, { metadata, spec });
    const controlled = { controller: true };
    const owner = ownerReferenceTo({ resource: Deployment, object: deployment }, controlled);
    const replicaSet = await world.client.create(ReplicaSet, {
      metadata: { ...metadata, labels, ownerReferences: [owner] },
      spec,
    });
    const current = ownerReferenceTo({ resource: ReplicaSet, object: replicaSet }, controlled);
    const asked = async (ownerReferences: readonly object[]) => {
      const created = await space.createPod(
        "web-1",
        space.asking({ ro: "db" }),
        { metadata: { labels, ownerReferences } },
        { dryRun: true },
      );
      return created.metadata.annotations?.[consumerAnnotation];
    };
    expect(await asked([current])).toBe(`${namespace}/Deployment/web`);
    expect(await asked([{ ...current, uid: "another" }])).toBe(`${namespace}/ReplicaSet/web`);
    expect(await asked([{ ...current, name: "deleted" }])).toBe(`${namespace}/ReplicaSet/deleted`);
  });

  it("decides about its pods", async () => {
    const space = await InjectionSpace.create(world);
    const secret = await space.createSecret("db");
    const consumer = `${space.namespace}/Deployment/web`;
    await space.approve(secret, [{ consumer, permission: "ReadOnly" }]);
    await world.client.create(Deployment, {
      metadata: { namespace: space.namespace, name: "web" },
      spec: { selector, template: template(space, podSpec("<db>")) },
    });
    const variables = async () => (await space.list(Pod)).map(({ spec }) => spec?.containers[0]?.env);
    await expect.poll(variables).toEqual([env("db-secret")]);
  });
});

describe("a rotator in the pod", () => {
  const rotator = {
    runsIn: "Sidecar",
    postgres: { host: "db", database: "orders", role: "orders", adminSecret: { name: "admin" } },
  } as const;

  it("waits for its ServiceAccount, then runs with it, and no other container has the token", async () => {
    const space = await InjectionSpace.create(world);
    const { namespace } = space;
    const secret = await space.createSecret("db", { rotate: 60, rotator });
    await space.approve(secret, [{ consumer: `${namespace}?app=web`, permission: "ReadWrite" }], 60);
    const choice = { metadata: { labels: { app: "web" } } };
    const name = rotatorAccountOf({ namespace, kind: "Pod", name: "web" });
    expect(await space.warningsOf("web", space.asking({ rw: "db" }), choice)).toEqual([
      expect.stringContaining(`waits for ServiceAccount ${name} of its rotator`),
    ]);
    expect((await space.get(Pod, "web")).spec?.serviceAccountName).toBe("default");
    await world.client.delete(Pod, { namespace, name: "web" }, { gracePeriodSeconds: 0 });
    await expect.poll(() => space.find(Pod, "web")).toBeUndefined();
    await world.client.create(ServiceAccount, { metadata: { namespace, name } });
    const { spec, metadata } = await space.createPod("web", space.asking({ rw: "db" }), choice);
    expect(metadata.annotations?.[injectedAnnotation]).toBe(`${namespace}/db:ReadWrite`);
    expect(spec).toMatchObject({ serviceAccountName: name, automountServiceAccountToken: false });
    expect(
      spec?.containers.map((one) => [one.name, one.image, one.volumeMounts?.map((mount) => mount.name)]),
    ).toEqual([
      ["app", "nginx:1", undefined],
      ["shared-secret-rotator", image, ["shared-secret-token"]],
    ]);
    expect(spec?.containers[1]?.env).toContainEqual({ name: "ROTATION_SECONDS", value: "60" });
    expect(spec?.volumes?.map((volume) => volume.name)).toEqual(["shared-secret-token"]);
    await expect.poll(async () => (await space.get(Pod, "web")).status?.phase).toBe("Running");
  });

  it("stays the same if another webhook changes the pod after it", async () => {
    const space = await InjectionSpace.create(world);
    const { namespace } = space;
    const secret = await space.createSecret("db", { rotate: 60, rotator });
    await space.approve(secret, [{ consumer: `${namespace}/web`, permission: "ReadWrite" }]);
    const name = rotatorAccountOf({ namespace, kind: "Pod", name: "web" });
    await world.client.create(ServiceAccount, { metadata: { namespace, name } });
    const { spec } = await space.createPod("web", space.asking({ rw: "db" }), {
      metadata: { labels: lateLabel },
    });
    expect(
      spec?.containers.map((one) => [one.name, one.volumeMounts?.map((mount) => mount.mountPath)]),
    ).toEqual([
      ["app", undefined],
      ["shared-secret-rotator", ["/var/run/secrets/kubernetes.io/serviceaccount"]],
      ["late", undefined],
    ]);
  });

  it("is denied in a pod with a ServiceAccount of its own", async () => {
    const space = await InjectionSpace.create(world);
    const { namespace } = space;
    const secret = await space.createSecret("db", { rotate: 60, rotator });
    await space.approve(secret, [{ consumer: `${namespace}/web`, permission: "ReadWrite" }]);
    const web = { namespace, kind: "Pod", name: "web" };
    for (const name of ["mine", rotatorAccountOf(web)])
      await world.client.create(ServiceAccount, { metadata: { namespace, name } });
    const created = space.createPod("web", space.asking({ rw: "db" }), {
      spec: { serviceAccountName: "mine" },
    });
    await expect(created).rejects.toThrow("the pod names ServiceAccount mine");
  });
});

describe("while no operator serves the webhook", () => {
  it("pods that ask for something are refused, and others are not", async () => {
    const space = await InjectionSpace.create(world);
    await using _ = await unreachableWebhook(space.namespace);
    const create = async (annotations: Readonly<Record<string, string>>) => {
      const created = space.createPod("web", annotations, {}, { dryRun: true });
      return created.then(
        () => "created",
        ({ message }: Error) => message,
      );
    };
    const refused = expect.stringContaining("failed calling webhook");
    await expect.poll(() => create(space.asking({ ro: "db" }))).toEqual(refused);
    expect(await create(space.asking({ rw: "db" }))).toEqual(refused);
    expect(await create({})).toBe("created");
    expect(await create({ "vault.keelson.dev/restarted-at": "2026", "example.com/secret-ro": "a" })).toBe(
      "created",
    );
  });
});

/** Registers the webhook for a namespace once more, at an address at which nothing listens. */
async function unreachableWebhook(namespace: string): Promise<AsyncDisposable> {
  const metadata = { name: `unreachable-${namespace}` };
  const { items } = await world.client.list(MutatingWebhookConfiguration);
  const webhooks = items
    .flatMap((configuration) => configuration.webhooks ?? [])
    .filter(({ name }) => name === "mutate.pods.vault.keelson.dev")
    .map((webhook) => ({
      ...webhook,
      clientConfig: { url: "https://127.0.0.1:1" },
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    }));
  expect(webhooks).toHaveLength(1);
  await world.client.create(MutatingWebhookConfiguration, { metadata, webhooks });
  return {
    async [Symbol.asyncDispose]() {
      await world.client.delete(MutatingWebhookConfiguration, metadata);
    },
  };
}
