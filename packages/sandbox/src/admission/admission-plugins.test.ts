import { describe, expect, it } from "vitest";
import { admissionWorld } from "../../test/support/admission-world.ts";
import { refusal } from "../../test/support/writer-world.ts";

function pod(name: string, spec: object = {}): object {
  return {
    metadata: { name, namespace: "shop" },
    spec: { containers: [{ name: "a", image: "x" }], ...spec },
  };
}

describe("NamespaceLifecycle", () => {
  it("refuses to create in a namespace that does not exist", async () => {
    const { create } = admissionWorld();
    const map = { metadata: { name: "a", namespace: "nowhere" } };
    expect(await refusal(create("configmaps", map))).toMatchObject({
      code: 404,
      message: 'namespaces "nowhere" not found',
      details: { name: "nowhere", kind: "namespaces" },
    });
  });

  it("refuses to create in a namespace that is going, and names it as the cause", async () => {
    const { create, put } = admissionWorld();
    put("namespaces", { metadata: { name: "shop" }, status: { phase: "Terminating" } });
    const status = await refusal(
      create("configmaps", { metadata: { generateName: "a", namespace: "shop" } }),
    );
    expect(status).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated',
      details: {
        name: "a",
        kind: "configmaps",
        causes: [
          {
            reason: "NamespaceTerminating",
            message: "namespace shop is being terminated",
            field: "metadata.namespace",
          },
        ],
      },
    });
  });

  it("keeps the namespaces that everything relies on", async () => {
    const { writer, resource, options } = admissionWorld();
    const target = {
      resource: resource("namespaces"),
      name: "default",
      namespace: undefined,
      subresource: undefined,
    };
    expect((await refusal(writer.delete(target, options))).message).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });
});

describe("ServiceAccount", () => {
  it("sets the default ServiceAccount of a pod and mounts a token", async () => {
    const { create } = admissionWorld();
    const { spec } = await create("pods", pod("a", { initContainers: [{ name: "i", image: "x" }] }));
    expect(spec).toMatchObject({ serviceAccountName: "default", serviceAccount: "default" });
    const volumes: unknown = Reflect.get(Object(spec), "volumes");
    const name: unknown = Reflect.get(Object(Object(volumes)[0]), "name");
    expect(name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const mount = { name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" };
    expect(spec).toMatchObject({
      containers: [{ volumeMounts: [mount] }],
      initContainers: [{ volumeMounts: [mount] }],
    });
    expect(volumes).toEqual([
      {
        name,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [
                  { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
                ],
              },
            },
          ],
        },
      },
    ]);
  });

  it("mounts nothing if the pod or the account disables it, or a mount exists", async () => {
    const { create, put } = admissionWorld();
    const unwanted = await create("pods", pod("a", { automountServiceAccountToken: false }));
    expect(unwanted.spec).not.toHaveProperty("volumes");
    put("serviceaccounts", {
      metadata: { name: "quiet", namespace: "shop" },
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: "registry" }],
    });
    const quiet = await create("pods", pod("b", { serviceAccountName: "quiet" }));
    expect(quiet.spec).not.toHaveProperty("volumes");
    expect(quiet.spec).toMatchObject({ imagePullSecrets: [{ name: "registry" }] });
    const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
    const own = { name: "a", image: "x", volumeMounts: [{ name: "v", mountPath }] };
    const mounted = await create(
      "pods",
      pod("c", { containers: [own], volumes: [{ name: "v", emptyDir: {} }] }),
    );
    expect(mounted.spec).toMatchObject({ volumes: [{ name: "v" }] });
  });

  it("refuses an account that does not exist", async () => {
    const { create } = admissionWorld();
    const status = await refusal(create("pods", pod("a", { serviceAccountName: "nope" })));
    expect(status).toMatchObject({
      code: 403,
      message:
        'pods "a" is forbidden: error looking up service account shop/nope: serviceaccount "nope" not found',
    });
  });

  it("waits a second for the default account of a new namespace", async () => {
    const { create, put, clock } = admissionWorld();
    put("namespaces", { metadata: { name: "new" }, status: { phase: "Active" } });
    const early = { ...pod("a"), metadata: { name: "a", namespace: "new" } };
    const created = create("pods", early);
    await clock.advance(100);
    put("serviceaccounts", { metadata: { name: "default", namespace: "new" } });
    await clock.advance(100);
    expect((await created).spec).toMatchObject({ serviceAccountName: "default" });

    put("namespaces", { metadata: { name: "empty" }, status: { phase: "Active" } });
    const hopeless = refusal(create("pods", { ...pod("a"), metadata: { name: "a", namespace: "empty" } }));
    for (let time = 0; time < 10; time++) await clock.advance(100);
    expect((await hopeless).message).toContain("error looking up service account empty/default");
  });
});

describe("DefaultTolerationSeconds", () => {
  it("lets pods tolerate unreachable nodes for five minutes by default", async () => {
    const { create } = admissionWorld();
    const own = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" };
    const { spec } = await create("pods", pod("a", { tolerations: [own] }));
    expect(spec).toMatchObject({
      tolerations: [
        own,
        {
          key: "node.kubernetes.io/unreachable",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        },
      ],
    });
    const all = await create("pods", pod("b", { tolerations: [{ operator: "Exists" }] }));
    expect(all.spec).toMatchObject({ tolerations: [{ operator: "Exists" }] });
  });
});

describe("Priority", () => {
  it("sets the priority of a pod's class, of the default class, or none", async () => {
    const { create, put } = admissionWorld();
    const plain = await create("pods", pod("a"));
    expect(plain.spec).toMatchObject({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
    put("priorityclasses", { metadata: { name: "high" }, value: 7, preemptionPolicy: "Never" });
    const high = await create("pods", pod("b", { priorityClassName: "high" }));
    expect(high.spec).toMatchObject({ priority: 7, preemptionPolicy: "Never" });
    put("priorityclasses", { metadata: { name: "usual" }, value: 3, globalDefault: true });
    const usual = await create("pods", pod("c"));
    expect(usual.spec).toMatchObject({ priority: 3, priorityClassName: "usual" });
  });

  it("refuses unknown classes and numbers that do not fit", async () => {
    const { create } = admissionWorld();
    expect((await refusal(create("pods", pod("a", { priorityClassName: "nope" })))).message).toBe(
      'pods "a" is forbidden: no PriorityClass with name nope was found',
    );
    expect((await refusal(create("pods", pod("a", { priority: 5 })))).message).toBe(
      'pods "a" is forbidden: the integer value of priority (5) must not be provided in pod spec; ' +
        "priority admission controller computed 0 from the given PriorityClass name",
    );
  });

  it("refuses a second default", async () => {
    const { create } = admissionWorld();
    await create("priorityclasses", { metadata: { name: "one" }, value: 1, globalDefault: true });
    const second = create("priorityclasses", { metadata: { name: "two" }, value: 1, globalDefault: true });
    expect((await refusal(second)).message).toBe(
      'priorityclasses.scheduling.k8s.io "two" is forbidden: ' +
        "PriorityClass one is already marked as default. Only one default can exist",
    );
  });
});

describe("the other plugins", () => {
  it("taint new nodes as not ready", async () => {
    const { create } = admissionWorld();
    const { spec } = await create("nodes", { metadata: { name: "n" } });
    expect(spec).toMatchObject({ taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] });
  });

  it("set a finalizer and the newest default class of claims", async () => {
    const { create, put } = admissionWorld();
    for (const [name, creationTimestamp] of [
      ["old", "2029-01-01T00:00:00Z"],
      ["new", "2029-02-01T00:00:00Z"],
    ]) {
      const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
      put("storageclasses", { metadata: { name, creationTimestamp, annotations }, provisioner: "x" });
    }
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const claim = await create("persistentvolumeclaims", {
      metadata: { name: "a", namespace: "shop" },
      spec,
    });
    expect(claim).toMatchObject({
      metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
      spec: { storageClassName: "new" },
    });
    const none = { metadata: { name: "b", namespace: "shop" }, spec: { ...spec, storageClassName: "" } };
    expect((await create("persistentvolumeclaims", none)).spec).toMatchObject({ storageClassName: "" });
  });

  it("set the default class of Ingresses", async () => {
    const { create, put } = admissionWorld();
    const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
    put("ingressclasses", { metadata: { name: "nginx", annotations }, spec: { controller: "x/y" } });
    const service = { name: "web", port: { number: 80 } };
    const ingress = { metadata: { name: "a", namespace: "shop" }, spec: { defaultBackend: { service } } };
    expect((await create("ingresses", ingress)).spec).toMatchObject({ ingressClassName: "nginx" });
  });

  it("refuse pods of a runtime class that does not exist", async () => {
    const { create } = admissionWorld();
    expect((await refusal(create("pods", pod("a", { runtimeClassName: "nope" })))).message).toBe(
      'pods "a" is forbidden: pod rejected: RuntimeClass "nope" not found',
    );
  });

  it("let only bound claims of growing classes grow", async () => {
    const { put, writer, resource, options, read } = admissionWorld();
    const metadata = { name: "a", namespace: "shop", uid: "u", resourceVersion: "1" };
    const spec = (storage: string): object => ({
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage } },
      storageClassName: "fast",
      volumeName: "v",
      volumeMode: "Filesystem",
    });
    const grow = async (phase: string): Promise<unknown> => {
      const claims = resource("persistentvolumeclaims");
      const stored = put("persistentvolumeclaims", { metadata, spec: spec("1Gi"), status: { phase } });
      const object = { ...structuredClone({ ...stored }), spec: spec("2Gi") };
      const target = { resource: claims, name: "a", namespace: "shop", subresource: undefined };
      await writer.update(target, JSON.parse(JSON.stringify(object)), options);
      return read.get(claims, "a", "shop")?.spec;
    };
    expect((await refusal(grow("Pending"))).message).toMatch(/Only bound persistent volume claims|Forbidden/);
    expect((await refusal(grow("Bound"))).message).toContain(
      "only dynamically provisioned pvc can be resized and the storageclass",
    );
    put("storageclasses", { metadata: { name: "fast" }, provisioner: "x", allowVolumeExpansion: true });
    expect(await grow("Bound")).toMatchObject({ resources: { requests: { storage: "2Gi" } } });
  });
});
