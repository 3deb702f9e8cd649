import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.ts";
import type { Deployment } from "../../src/kinds/apps/v1.ts";
import { TokenRequest } from "../../src/kinds/authentication/v1.ts";
import type { SelfSubjectAccessReview } from "../../src/kinds/authorization/v1.ts";
import { Scale } from "../../src/kinds/autoscaling/v1.ts";
import type { Job } from "../../src/kinds/batch/v1.ts";
import type { Service } from "../../src/kinds/core/v1.ts";
import { Eviction } from "../../src/kinds/policy/v1.ts";
import type { Role } from "../../src/kinds/rbac/v1.ts";
import type { KubeObject } from "../../src/meta.ts";
import { apiVersionOf, type Kind, type Resource } from "../../src/resource.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const kindsFolder = fileURLToPath(new URL("../../src/kinds/", import.meta.url));
/** The kinds themselves, the package that passes them on to operator authors, and the facts that the sandbox serves. */
const generated = [
  "packages/core/src/kinds",
  "packages/runtime/src/kinds",
  "packages/sandbox/src/builtin/generated",
];

function filesIn(folder: string): readonly string[] {
  return globSync("**/*.ts", { cwd: folder }).sort();
}

async function textsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const texts = filesIn(folder).map(async (file) => [file, await readFile(join(folder, file), "utf8")]);
  return Object.fromEntries(await Promise.all(texts));
}

it("the generated kinds are what the pinned server says", async ({ signal }) => {
  const folder = await mkdtemp(join(tmpdir(), "keelson-kinds-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The command itself, with a control plane of its own: what a person runs for a new Kubernetes.
  const args = ["--conditions=@keelson/source", join(root, "scripts/kinds/generate.ts"), "--out", folder];
  // Messages come from Go modules, which not every machine has; packages/sandbox/test/cluster/protobuf.test.ts checks them.
  await promisify(execFile)(process.execPath, [...args, "--without-messages"], { signal });
  for (const path of generated)
    expect(await textsIn(join(folder, path))).toEqual(await textsIn(join(root, path)));
});

const labels = { app: "web" };

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "web",
            image: "nginx:1.27",
            ports: [{ name: "http", containerPort: 8080 }],
            env: [{ name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            resources: { requests: { cpu: "100m", memory: "64Mi" } },
            readinessProbe: { httpGet: { path: "/", port: "http" } },
            volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
          },
        ],
        imagePullSecrets: [{ name: "registry" }],
        tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
        volumes: [{ name: "scratch", emptyDir: {} }],
      },
    },
  },
} satisfies Deployment;

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", labels },
  spec: { type: "ClusterIP", selector: labels, ports: [{ port: 80, targetPort: "http" }] },
} satisfies Service;

const job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "migrate" },
  spec: {
    backoffLimit: 2,
    template: {
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "migrate", image: "busybox:1.36", command: ["true"] }],
      },
    },
  },
} satisfies Job;

const role = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "reader" },
  rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list", "watch"] }],
} satisfies Role;

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "disks.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Disk", plural: "disks" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { labels: { type: "object", additionalProperties: { type: "string" } } },
          },
        },
      },
    ],
  },
} satisfies CustomResourceDefinition;

const review = {
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  metadata: {},
  spec: { resourceAttributes: { verb: "get", resource: "pods" } },
} satisfies SelfSubjectAccessReview;

describe("the pinned server", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });
  afterAll(() => controlPlane?.stop());

  const byName = (a: Resource, b: Resource): number => (a.plural < b.plural ? -1 : 1);
  /** The kinds that discovery lists for the group and version of a kind. */
  const discover = async (resource: Kind): Promise<readonly Resource[]> => {
    const { group, version } = resource;
    const path = `${group === "" ? "/api" : "/apis"}/${apiVersionOf(resource)}`;
    const list: { resources: readonly { name: string; kind: string; namespaced: boolean }[] } = JSON.parse(
      await controlPlane.kubectl(["get", "--raw", path]),
    );
    return list.resources
      .filter(({ name }) => !name.includes("/"))
      .map(({ name: plural, kind, namespaced }): Resource => {
        return { group, version, kind, plural, scope: namespaced ? "Namespaced" : "Cluster" };
      })
      .sort(byName);
  };

  // meta/v1 holds types that the groups share, and no kinds.
  it.each(filesIn(kindsFolder).filter((file) => file !== "meta/v1.ts"))(
    "serves exactly the kinds of %s, by these plurals and in these scopes",
    async (file) => {
      const module: Readonly<Record<string, Kind>> = await import(join(kindsFolder, file));
      const [first] = Object.values(module);
      expect.assert(first !== undefined);
      // Kinds without a path of their own, such as Eviction, have no plural.
      const resources = Object.values(module).filter((kind): kind is Resource => "plural" in kind);
      expect(resources.sort(byName)).toEqual(await discover(first));
      expect(Object.keys(module)).toEqual(Object.values(module).map(({ kind }) => kind));
    },
  );

  it("knows the kinds of its subresources by these names", async () => {
    const list = JSON.parse(await controlPlane.kubectl(["get", "--raw", "/api/v1"]));
    const served = list.resources.map(({ group = "", version = "v1", kind }: Kind) => ({
      group,
      version,
      kind,
    }));
    for (const kind of [Eviction, TokenRequest, Scale]) expect(served).toContainEqual(kind);
  });

  it.each<KubeObject>([deployment, service, job, role, definition, review])(
    "accepts an object that satisfies $kind, field by field",
    async (object) => {
      // Strict validation refuses what would be dropped, such as a field of a wrong name.
      const args = ["create", "--validate=strict", "-f", "-", "-o", "json"];
      const created = JSON.parse(await controlPlane.kubectl(args, { input: JSON.stringify(object) }));
      expect(created).toMatchObject(object);
    },
  );
});
