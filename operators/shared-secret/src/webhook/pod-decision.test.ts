import type { PodSpec, Volume } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { admitted, factsOf, podOf, problemsOf, sharedSecret } from "../../test/support/pod-facts.ts";
import { rotatorAccountOf } from "../api/names.ts";
import type { RotatorSpec, SharedSecretSpecInput } from "../api/spec.ts";
import type { ConsumerStatus } from "../api/status.ts";

const readOnly = { "vault.keelson.dev/secret-ro": "shop/db" };
const readWrite = { "vault.keelson.dev/secret-rw": "shop/db" };
const web = "shop/Deployment/web";
const toRead = { consumer: web, permission: "ReadOnly" } as const;
const toWrite = { consumer: web, permission: "ReadWrite" } as const;
const account = rotatorAccountOf({ namespace: "shop", kind: "Deployment", name: "web" });

const consumerOf = "vault.keelson.dev/consumer";
const injectedOf = "vault.keelson.dev/injected";

const postgres = {
  host: "db.shop.svc",
  database: "orders",
  role: "orders",
  adminSecret: { name: "admin" },
};

/** A spec whose values are rotated in the pods of read-write consumers. */
function inSidecar(
  rotator: Pick<RotatorSpec, "custom"> | { readonly postgres: typeof postgres } = { postgres },
) {
  return { rotate: 3600, rotator: { ...rotator, runsIn: "Sidecar" } } satisfies SharedSecretSpecInput;
}

function variable(value: string): Partial<PodSpec> {
  return { containers: [{ name: "app", image: "nginx:1", env: [{ name: "PASSWORD", value }] }] };
}

describe("access", () => {
  const waiting = (what: string) => expect.stringContaining(`${web} waits for ${what}`);

  it.each<[string, readonly ConsumerStatus[]]>([
    ["the workload of the pod", [toRead]],
    ["the pod itself", [{ consumer: "shop/web-1", permission: "ReadOnly" }]],
    ["a selector of the labels of the pod", [{ consumer: "shop?app=web", permission: "ReadOnly" }]],
    ["more than is asked for", [toWrite]],
    ["a consumer that could not be restarted", [{ ...toRead, problem: "the eviction is refused" }]],
    [
      "a consumer without a Secret, and another one with it",
      [
        { ...toRead, problem: "cannot get the secret: no copy" },
        { consumer: "shop?app=web", permission: "ReadOnly" },
      ],
    ],
  ])("is approved for %s", (_title, consumers) => {
    const pod = podOf(readOnly, variable("<shop/db>"), { app: "web" });
    const result = admitted(factsOf(pod, [sharedSecret("shop/db", consumers)]));
    expect(result.warnings).toEqual([]);
    expect(result.pod.metadata.annotations).toEqual({
      ...readOnly,
      [consumerOf]: web,
      [injectedOf]: "shop/db:ReadOnly",
    });
  });

  it.each<[string, readonly ConsumerStatus[]]>([
    ["no consumer", []],
    ["another workload", [{ ...toRead, consumer: "shop/Deployment/other" }]],
    ["a workload of another kind", [{ ...toRead, consumer: "shop/StatefulSet/web" }]],
    ["a workload of the name of the pod", [{ ...toRead, consumer: "shop/StatefulSet/web-1" }]],
    ["a pod of the name of the workload", [{ ...toRead, consumer: "shop/web" }]],
    ["a workload of another namespace", [{ ...toRead, consumer: "other/Deployment/web" }]],
    ["a pod of another namespace", [{ ...toRead, consumer: "other/web-1" }]],
    ["other labels", [{ ...toRead, consumer: "shop?app=api" }]],
    ["the labels in another namespace", [{ ...toRead, consumer: "other?app=web" }]],
    ["a text that is no consumer", [{ ...toRead, consumer: "shop?a b" }]],
  ])("is not approved for %s", (_title, consumers) => {
    const pod = podOf(readOnly, variable("<shop/db>"), { app: "web" });
    const result = admitted(factsOf(pod, [sharedSecret("shop/db", consumers)]));
    expect(result.warnings).toEqual([
      "shop/Deployment/web waits for approval of ReadOnly access to SharedSecret shop/db; the pod runs without it and is restarted when it is approved",
    ]);
    expect(result.pod).toEqual({
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: { ...readOnly, [consumerOf]: web, [injectedOf]: "" },
      },
    });
  });

  it("to write is not approved by access to read", () => {
    const result = admitted(factsOf(podOf(readWrite), [sharedSecret("shop/db", [toRead])]));
    expect(result.warnings).toEqual([waiting("approval of ReadWrite access to SharedSecret shop/db")]);
  });

  it("waits for a SharedSecret that does not exist", () => {
    expect(admitted(factsOf(podOf(readOnly), [])).warnings).toEqual([
      waiting("SharedSecret shop/db, which does not exist"),
    ]);
  });

  it("waits for a SharedSecret that is being deleted to exist again", () => {
    const leaving = sharedSecret("shop/db", [toRead]);
    const metadata = { ...leaving.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(admitted(factsOf(podOf(readOnly), [{ ...leaving, metadata }])).warnings).toEqual([
      waiting("SharedSecret shop/db, which does not exist"),
    ]);
  });

  it.each([false, undefined])("waits for a SharedSecret whose sharing is not approved: %s", (approved) => {
    const { status, ...unshared } = sharedSecret("shop/db", [toRead]);
    const { approved: _, ...others } = status ?? {};
    const of = { ...unshared, status: approved === undefined ? others : { ...others, approved } };
    expect(admitted(factsOf(podOf(readOnly), [of])).warnings).toEqual([
      waiting("approval that SharedSecret shop/db is shared"),
    ]);
  });

  it("waits for a Secret that the consumer cannot get, and does not show why", () => {
    const consumers = [{ ...toRead, problem: "cannot get the secret: Secret x exists" }];
    const { warnings } = admitted(factsOf(podOf(readOnly), [sharedSecret("shop/db", consumers)]));
    expect(warnings).toEqual([waiting("the Secret of SharedSecret shop/db")]);
  });

  it("to one secret is not given while another one waits", () => {
    const annotations = { "vault.keelson.dev/secret-ro": "db,api" };
    const pod = podOf(annotations, variable("<db>"));
    const result = admitted(factsOf(pod, [sharedSecret("shop/db", [toRead]), sharedSecret("shop/api")]));
    expect(result.pod.spec).toEqual(pod.spec);
    expect(result.warnings).toEqual([waiting("approval of ReadOnly access to SharedSecret shop/api")]);
  });

  it("that users claim in annotations does not count", () => {
    const claims = { ...readOnly, [consumerOf]: "shop/Deployment/other", [injectedOf]: "shop/db:ReadOnly" };
    const consumers = [{ ...toRead, consumer: "shop/Deployment/other" }];
    const pod = podOf(claims, variable("<shop/db>"));
    const result = admitted(factsOf(pod, [sharedSecret("shop/db", consumers)]));
    expect(result.pod.metadata.annotations).toEqual({ ...readOnly, [consumerOf]: web, [injectedOf]: "" });
    expect(result.pod.spec).toEqual(pod.spec);
  });

  it("that is lost between two calls for one pod denies the pod", () => {
    const pod = podOf(readOnly, variable("<shop/db>"));
    const first = admitted(factsOf(pod, [sharedSecret("shop/db", [toRead])]));
    expect(problemsOf(factsOf(first.pod, [sharedSecret("shop/db")]))).toEqual([
      expect.stringContaining("may not use any more"),
    ]);
  });
});

describe("a variable", () => {
  const approved = (key: string) => sharedSecret(key, [toRead]);
  const reference = (name: string, key: string) => [
    { name: "PASSWORD", valueFrom: { secretKeyRef: { name, key } } },
  ];
  const asks = { "vault.keelson.dev/secret-ro": "shop/db,vault/api" };

  it.each<[string, string, string]>([
    ["<shop/db>", "db-secret", "value"],
    ["<db>", "db-secret", "value"],
    ["<shop/db#user.name>", "db-secret", "user.name"],
    ["<db#password>", "db-secret", "password"],
    ["<vault/api>", "vault.api-secret", "value"],
    ["<vault/api#KEY_1>", "vault.api-secret", "KEY_1"],
  ])("%s refers to Secret %s, key %s", (value, name, key) => {
    const facts = factsOf(podOf(asks, variable(value)), [approved("shop/db"), approved("vault/api")]);
    expect(admitted(facts).pod.spec?.containers[0]?.env).toEqual(reference(name, key));
  });

  it.each([
    "x<shop/db>",
    "<shop/db> ",
    "<shop/db",
    "<a/b/c>",
    "<Shop/Db>",
    "<shop/db#>",
    "<>",
    "<shop/>",
    "",
  ])("%j stays as it is", (value) => {
    const facts = factsOf(podOf(asks, variable(value)), [approved("shop/db"), approved("vault/api")]);
    expect(admitted(facts).pod.spec).toEqual(podOf(asks, variable(value)).spec);
  });

  it("of every container is replaced, and others stay", () => {
    const env = [
      { name: "A", value: "<db>" },
      { name: "B", value: "plain" },
      { name: "C", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "D" },
    ];
    const container = { name: "app", image: "nginx:1", env };
    const pod = podOf(readOnly, {
      containers: [container, { ...container, name: "other" }],
      initContainers: [{ ...container, name: "first" }],
    });
    const { spec } = admitted(factsOf(pod, [approved("shop/db")])).pod;
    const secretKeyRef = { name: "db-secret", key: "value" };
    const replaced = [{ name: "A", valueFrom: { secretKeyRef } }, ...env.slice(1)];
    expect(spec?.containers.map((one) => one.env)).toEqual([replaced, replaced]);
    expect(spec?.initContainers?.map((one) => one.env)).toEqual([replaced]);
  });

  it("with a secret that is not asked for denies the pod", () => {
    const facts = factsOf(podOf(readOnly, variable("<shop/other>")), [approved("shop/db")]);
    expect(problemsOf(facts)).toEqual([
      "variable PASSWORD of container app: SharedSecret shop/other is not asked for; add it to the annotation vault.keelson.dev/secret-ro",
    ]);
  });

  it("with a secret that is not asked for is a warning while the pod waits", () => {
    const facts = factsOf(podOf(readOnly, variable("<shop/other>")), [sharedSecret("shop/db")]);
    expect(admitted(facts).warnings).toEqual([
      expect.stringContaining("waits for approval"),
      expect.stringContaining("the pod cannot be restarted with access: variable PASSWORD"),
    ]);
  });

  it("that only looks like a placeholder stays, with a warning", () => {
    const pod = podOf(readOnly, {
      containers: [
        {
          name: "app",
          image: "nginx:1",
          env: [
            { name: "A", value: "<none>" },
            { name: "B", value: "<db>" },
          ],
        },
      ],
    });
    const result = admitted(factsOf(pod, [approved("shop/db")]));
    expect(result.pod.spec?.containers[0]?.env?.[0]).toEqual({ name: "A", value: "<none>" });
    expect(result.warnings).toEqual([
      "variable A of container app looks like SharedSecret shop/none, which the pod does not ask for; it stays as it is",
    ]);
  });

  it("is missing for a secret that nothing uses, which is a warning", () => {
    expect(admitted(factsOf(podOf(readOnly), [approved("shop/db")])).warnings).toEqual([
      "nothing in the pod uses SharedSecret shop/db; give a variable the value <shop/db>, or set the annotation vault.keelson.dev/mount-path",
    ]);
  });
});

describe("the mount path", () => {
  const asks = {
    "vault.keelson.dev/secret-ro": "shop/db,vault/api",
    "vault.keelson.dev/mount-path": "/etc/s",
  };
  const secrets = [sharedSecret("shop/db", [toRead]), sharedSecret("vault/api", [toRead])];

  it("has a folder with the keys of each secret, in all containers", () => {
    const data = { name: "data", mountPath: "/data" };
    const pod = podOf(asks, {
      containers: [{ name: "app", image: "nginx:1", volumeMounts: [data] }],
      initContainers: [{ name: "first", image: "nginx:1" }],
      volumes: [{ name: "data", emptyDir: {} }],
    });
    const { pod: injected, warnings } = admitted(factsOf(pod, secrets));
    const mounts = [
      { name: "shared-secret-1", mountPath: "/etc/s/shop/db", readOnly: true },
      { name: "shared-secret-2", mountPath: "/etc/s/vault/api", readOnly: true },
    ];
    expect(injected.spec?.containers[0]?.volumeMounts).toEqual([data, ...mounts]);
    expect(injected.spec?.initContainers?.[0]?.volumeMounts).toEqual(mounts);
    expect(injected.spec?.volumes).toEqual([
      { name: "data", emptyDir: {} },
      { name: "shared-secret-1", projected: { sources: [{ secret: { name: "db-secret" } }] } },
      { name: "shared-secret-2", projected: { sources: [{ secret: { name: "vault.api-secret" } }] } },
    ]);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Partial<PodSpec>]>([
    ["a volume", { volumes: [{ name: "shared-secret-2", emptyDir: {} }] }],
    [
      "a mount without its volume",
      {
        containers: [
          { name: "app", image: "nginx:1", volumeMounts: [{ name: "shared-secret-2", mountPath: "/x" }] },
        ],
      },
    ],
  ])("needs names that %s must not have", (_title, spec) => {
    expect(problemsOf(factsOf(podOf(asks, spec), secrets))).toEqual([
      "volume shared-secret-2: the operator uses this name; choose another",
    ]);
  });
});

describe("a rotator in the pod", () => {
  const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
  const serverMount = { name: "kube-api-access-x7k2p", mountPath: tokenPath, readOnly: true };
  const serverVolume: Volume = {
    name: "kube-api-access-x7k2p",
    projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
  };
  const secret = sharedSecret("shop/db", [toWrite], {
    spec: inSidecar(),
    status: { approved: true, consumers: [toWrite], rotateSeconds: 7200 },
  });

  it("knows what to rotate and runs without privileges, with the only token", () => {
    const pod = podOf(readWrite, {
      serviceAccountName: "default",
      serviceAccount: "default",
      containers: [{ name: "app", image: "nginx:1", volumeMounts: [serverMount] }],
      initContainers: [{ name: "first", image: "nginx:1", volumeMounts: [serverMount] }],
      volumes: [serverVolume],
    });
    const { pod: injected, warnings } = admitted(factsOf(pod, [secret]));
    expect(warnings).toEqual([]);
    expect(injected.metadata.annotations?.[injectedOf]).toBe("shop/db:ReadWrite");
    expect(injected.spec).toEqual({
      serviceAccountName: account,
      serviceAccount: account,
      automountServiceAccountToken: false,
      initContainers: [{ name: "first", image: "nginx:1" }],
      containers: [
        { name: "app", image: "nginx:1" },
        {
          name: "shared-secret-rotator",
          image: "registry.example.com/rotator:1",
          env: [
            { name: "SHARED_SECRETS", value: "shop/db" },
            { name: "TORORU_RESOURCE_NAMES", value: "shop/db" },
            { name: "ROTATION_SECONDS", value: "7200" },
            { name: "CONFIG", value: "{}" },
          ],
          resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "256Mi" } },
          securityContext: {
            runAsNonRoot: true,
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
            seccompProfile: { type: "RuntimeDefault" },
          },
          volumeMounts: [{ name: "shared-secret-token", mountPath: tokenPath, readOnly: true }],
        },
      ],
      volumes: [
        {
          name: "shared-secret-token",
          projected: {
            sources: [
              { serviceAccountToken: { path: "token", expirationSeconds: 3607 } },
              { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
              {
                downwardAPI: {
                  items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }],
                },
              },
            ],
          },
        },
      ],
    });
  });

  it("is one for several secrets, and one more for another image", () => {
    const custom = (config: Record<string, string>) => ({ custom: { name: "acme.dev/redis", config } });
    const annotations = { "vault.keelson.dev/secret-rw": "a,b,c" };
    const facts = factsOf(
      podOf(annotations),
      [
        sharedSecret("shop/a", [toWrite], { spec: inSidecar(custom({ host: "redis" })) }),
        sharedSecret("shop/b", [toWrite], { spec: inSidecar() }),
        sharedSecret("shop/c", [toWrite], { spec: inSidecar(custom({ host: "other" })) }),
      ],
      {
        rotatorImages: new Map([
          ["postgres", "rotator:1"],
          ["acme.dev/redis", "redis:1"],
        ]),
      },
    );
    const { spec } = admitted(facts).pod;
    const seen = spec?.containers.map(({ name, image, env = [] }) => [
      ...[name, image],
      ...env.filter((one) => ["SHARED_SECRETS", "CONFIG"].includes(one.name)).map(({ value }) => value),
    ]);
    expect(seen).toEqual([
      ["app", "nginx:1"],
      ["shared-secret-rotator", "redis:1", "shop/a,shop/c", '{"host":"redis"}'],
      ["shared-secret-rotator-2", "rotator:1", "shop/b", "{}"],
    ]);
    expect(spec?.volumes?.map(({ name }) => name)).toEqual(["shared-secret-token"]);
  });

  it("does not run as the root user of the pod", () => {
    const pod = podOf(readWrite, { securityContext: { runAsUser: 0 } });
    const { spec } = admitted(factsOf(pod, [secret])).pod;
    expect(spec?.containers[1]?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
  });

  it("does not keep a variable from having the value, and mounts nothing in others", () => {
    const annotations = { ...readWrite, "vault.keelson.dev/mount-path": "/etc/s" };
    const { spec } = admitted(factsOf(podOf(annotations, variable("<db>")), [secret])).pod;
    expect(spec?.containers[0]?.env).toEqual([
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "db-secret", key: "value" } } },
    ]);
    expect(spec?.containers[0]?.volumeMounts).toBeUndefined();
  });

  it("gets no values of other secrets", () => {
    const annotations = {
      ...readWrite,
      "vault.keelson.dev/secret-ro": "shop/api",
      "vault.keelson.dev/mount-path": "/etc/s",
    };
    const secrets = [secret, sharedSecret("shop/api", [toRead])];
    const once = admitted(factsOf(podOf(annotations), secrets)).pod;
    for (const { spec } of [once, admitted(factsOf(once, secrets)).pod])
      expect(spec?.containers.map(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name))).toEqual([
        ["shared-secret-1"],
        ["shared-secret-token"],
      ]);
  });

  it("waits for its ServiceAccount", () => {
    const pod = podOf(readWrite);
    const result = admitted(factsOf(pod, [secret], { hasAccount: false }));
    expect(result.pod.spec).toEqual(pod.spec);
    expect(result.pod.metadata.annotations?.[injectedOf]).toBe("");
    expect(result.warnings).toEqual([
      `shop/Deployment/web waits for ServiceAccount ${account} of its rotator; the pod runs without it and is restarted when the operator has created it`,
    ]);
  });

  it.each<[string, SharedSecretSpecInput]>([
    ["has no rotator", {}],
    ["is rotated by the operator", { rotate: 60, rotator: { postgres } }],
  ])("is not there if the SharedSecret %s: the pod gets the value alone", (_title, spec) => {
    const annotations = { ...readWrite, "vault.keelson.dev/mount-path": "/etc/s" };
    const pod = podOf(annotations, { ...variable("<db>"), serviceAccountName: "mine" });
    const facts = factsOf(pod, [sharedSecret("shop/db", [toWrite], { spec })], { hasAccount: false });
    const { pod: injected } = admitted(facts);
    expect(injected.spec?.serviceAccountName).toBe("mine");
    expect(injected.spec?.containers).toEqual([
      {
        name: "app",
        image: "nginx:1",
        env: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "db-secret", key: "value" } } }],
        volumeMounts: [{ name: "shared-secret-1", mountPath: "/etc/s/shop/db", readOnly: true }],
      },
    ]);
  });

  it("is not there for a consumer that only reads", () => {
    const { spec } = admitted(factsOf(podOf(readOnly, variable("<db>")), [secret])).pod;
    expect(spec?.containers).toHaveLength(1);
    expect(spec?.serviceAccountName).toBeUndefined();
  });

  const token = { sources: [{ serviceAccountToken: { path: "token" } }] };
  const otherwise = "or let the operator rotate, with rotator.runsIn: Operator in the SharedSecret";
  it.each<[string, Partial<PodSpec>, string]>([
    [
      "a ServiceAccount of its own",
      { serviceAccountName: "mine" },
      `the pod names ServiceAccount mine, but a rotator in it needs its own; remove the name, ${otherwise}`,
    ],
    [
      "processes in common",
      { shareProcessNamespace: true },
      `with shareProcessNamespace other containers could read the token of the rotator; remove it, ${otherwise}`,
    ],
    [
      "a token in a volume of its own",
      { volumes: [{ name: "mine", projected: token }] },
      `volume mine would have a token of the rotator; remove it, ${otherwise}`,
    ],
    [
      "a certificate of the account",
      {
        volumes: [
          {
            name: "mine",
            projected: { sources: [{ podCertificate: { keyType: "ED25519", signerName: "a.b/c" } }] },
          },
        ],
      },
      `volume mine would have a token of the rotator; remove it, ${otherwise}`,
    ],
    [
      "the token of the server mounted elsewhere",
      {
        containers: [
          { name: "app", image: "nginx:1", volumeMounts: [{ ...serverMount, mountPath: "/token" }] },
        ],
        volumes: [serverVolume],
      },
      `volume kube-api-access-x7k2p would have a token of the rotator; remove it, ${otherwise}`,
    ],
    [
      "a container of its name",
      { initContainers: [{ name: "shared-secret-rotator", image: "nginx:1" }] },
      "container shared-secret-rotator: the operator uses this name; choose another",
    ],
    [
      "a volume of the name of its token",
      { volumes: [{ name: "shared-secret-token", emptyDir: {} }] },
      "volume shared-secret-token: the operator uses this name; choose another",
    ],
  ])("is refused in a pod with %s", (_title, spec, problem) => {
    const pod = podOf(readWrite, spec);
    expect(problemsOf(factsOf(pod, [secret]))).toEqual([problem]);
    const { warnings } = admitted(factsOf(pod, [{ ...secret, status: { approved: true } }]));
    expect(warnings[1]).toBe(`the pod cannot be restarted with access: ${problem}`);
  });

  it("is refused without an image, with the setting that is missing", () => {
    const facts = factsOf(podOf(readWrite), [secret], { rotatorImages: new Map() });
    expect(problemsOf(facts)).toEqual([
      "there is no image for the rotator postgres; add postgres=IMAGE to the setting --shared-secret.rotator-images of the operator",
    ]);
  });

  it("leaves a volume of the user at the path of the token", () => {
    const hidden = { name: "empty", mountPath: tokenPath };
    const pod = podOf(readWrite, {
      containers: [{ name: "app", image: "nginx:1", volumeMounts: [hidden] }],
      volumes: [{ name: "empty", emptyDir: {} }],
    });
    expect(admitted(factsOf(pod, [secret])).pod.spec?.containers[0]?.volumeMounts).toEqual([hidden]);
  });
});

describe("a second call for the same pod", () => {
  it("keeps what others have changed since, such as an image", () => {
    const secret = sharedSecret("shop/db", [toWrite], { spec: inSidecar() });
    const { pod } = admitted(factsOf(podOf(readWrite), [secret]));
    const containers = (pod.spec?.containers ?? []).map((one) => ({
      ...one,
      image: `mirror.example.com/${one.image}`,
    }));
    const mirrored = { ...pod, spec: { ...pod.spec, containers } };
    expect(admitted(factsOf(mirrored, [secret]))).toEqual({ type: "admitted", pod: mirrored, warnings: [] });
  });

  it("replaces a placeholder in a container that was added since", () => {
    const secret = sharedSecret("shop/db", [toRead]);
    const { pod } = admitted(factsOf(podOf(readOnly, variable("<db>")), [secret]));
    const added = { name: "late", image: "nginx:1", env: [{ name: "A", value: "<db>" }] };
    const containers = [...(pod.spec?.containers ?? []), added];
    const { spec } = admitted(factsOf({ ...pod, spec: { ...pod.spec, containers } }, [secret])).pod;
    expect(spec?.containers[1]?.env).toEqual([
      { name: "A", valueFrom: { secretKeyRef: { name: "db-secret", key: "value" } } },
    ]);
  });
});
