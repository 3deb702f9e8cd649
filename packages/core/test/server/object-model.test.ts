import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addFinalizerPatch,
  controllerOf,
  formatLabelSelector,
  formatQuantity,
  isCoveredBy,
  type KubeObject,
  matchesLabels,
  parseLabelSelector,
  parseQuantity,
  podTemplatesEqual,
  quantityAsStored,
  removeFinalizerPatch,
  roundUpQuantity,
  type Stored,
  setControllerReference,
} from "../../src/index.ts";
import { Deployment } from "../../src/kinds/apps/v1.ts";
import { ConfigMap, type PodTemplateSpec, Secret } from "../../src/kinds/core/v1.ts";

/** What the helpers claim about Kubernetes, held against Kubernetes. */
let controlPlane: Cluster;
beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
});
afterAll(() => controlPlane?.stop());

const json = async (args: readonly string[], object?: object) =>
  JSON.parse(
    await controlPlane.kubectl(
      [...args, "-o", "json"],
      object === undefined ? {} : { input: JSON.stringify(object) },
    ),
  );
const patch = (name: string, operations: unknown): Promise<ConfigMap> =>
  json(["patch", "configmap", name, "--type=json", "-p", JSON.stringify(operations)]);

describe("[CL8] the patches of finalizers", () => {
  const ours = "example.com/cleanup";
  const theirs = "example.com/audit";
  const create = (name: string, finalizers: readonly string[]): Promise<ConfigMap> =>
    json(["create", "-f", "-"], { apiVersion: "v1", kind: "ConfigMap", metadata: { name, finalizers } });

  it("add to the object as it was read, and are refused once it has changed", async () => {
    const read = await create("add", []);
    const addition = addFinalizerPatch(read, ours);
    const added = await patch("add", addition);
    expect(added.metadata.finalizers).toEqual([ours]);
    await expect(patch("add", addition)).rejects.toThrow(/test.*failed|invalid/i);
    expect((await patch("add", addFinalizerPatch(added, theirs))).metadata.finalizers).toEqual([
      ours,
      theirs,
    ]);
  });

  it("remove one, whatever else has changed, and are refused once positions have moved", async () => {
    const read = await create("remove", [ours, theirs]);
    await controlPlane.kubectl(["label", "configmap", "remove", "x=y"]);
    const removed = await patch("remove", removeFinalizerPatch(read, ours));
    expect(removed.metadata.finalizers).toEqual([theirs]);
    await expect(patch("remove", removeFinalizerPatch(read, theirs))).rejects.toThrow();
    expect(
      (await patch("remove", removeFinalizerPatch(removed, theirs))).metadata.finalizers,
    ).toBeUndefined();
  });

  it("do not add to an object whose deletion has begun", async () => {
    const read = await create("deleted", [theirs]);
    await controlPlane.kubectl(["delete", "configmap", "deleted", "--wait=false"]);
    await expect(patch("deleted", addFinalizerPatch(read, ours))).rejects.toThrow();
    const deleting: ConfigMap = await json(["get", "configmap", "deleted"]);
    expect(() => addFinalizerPatch(deleting, ours)).toThrow(/being deleted since/);
  });
});

describe("a pod template", () => {
  const labels = { app: "web" };
  /** Says the same things as the server stores, but in other words: zeros, other units, empty lists. */
  const template: PodTemplateSpec = {
    metadata: { labels },
    spec: {
      hostNetwork: false,
      subdomain: "",
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      nodeSelector: {},
      initContainers: [{ name: "init", image: "a:1", command: ["true"] }],
      containers: [
        {
          name: "web",
          image: "a:1",
          tty: false,
          args: [],
          env: [
            { name: "EMPTY", value: "" },
            { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
          ],
          ports: [{ containerPort: 8080 }, { containerPort: 53, protocol: "UDP", hostPort: 0 }],
          resources: {
            requests: { cpu: "0.5", memory: "1024Mi" },
            limits: { cpu: "1000m", memory: "1.5Gi" },
          },
          livenessProbe: { httpGet: { port: 8080, path: "" }, initialDelaySeconds: 0 },
          volumeMounts: [{ name: "scratch", mountPath: "/scratch", readOnly: false, subPath: "" }],
          securityContext: { runAsNonRoot: false, capabilities: { add: [] } },
        },
      ],
      volumes: [
        { name: "scratch", emptyDir: { sizeLimit: "1.5Gi" } },
        { name: "data", emptyDir: {} },
        { name: "settings", configMap: { name: "x", optional: false } },
        { name: "token", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      ],
      tolerations: [{ key: "a", operator: "Exists", value: "", tolerationSeconds: 0, effect: "NoExecute" }],
    },
  };
  const deploy = async (name: string, spec: PodTemplateSpec): Promise<PodTemplateSpec> => {
    const { apiVersion, kind } = { apiVersion: "apps/v1", kind: Deployment.kind };
    const object = {
      apiVersion,
      kind,
      metadata: { name },
      spec: { selector: { matchLabels: labels }, template: spec },
    };
    return (await json(["create", "-f", "-"], object)).spec.template;
  };

  it("is covered by what the server makes of it, defaults and all", async () => {
    const stored = await deploy("web", template);
    expect(isCoveredBy(template, stored)).toBe(true);
    expect(podTemplatesEqual(stored, (await json(["get", "deployment", "web"])).spec.template)).toBe(true);
    expect(podTemplatesEqual(template, stored)).toBe(false);
  });

  it("is not covered by one that differs in what it says", async () => {
    const [web, ...others] = template.spec?.containers ?? [];
    if (web === undefined) throw new Error("the template has a container");
    const other = {
      ...template,
      spec: { ...template.spec, containers: [{ ...web, image: "a:2" }, ...others] },
    };
    expect(isCoveredBy(template, await deploy("other", other))).toBe(false);
  });
});

describe("quantities", () => {
  /** What the server stores for a quantity that was written so. */
  const stored = async (text: string): Promise<string> => {
    const resource = "requests.example.com/x";
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q" },
      spec: { hard: { [resource]: text } },
    };
    return (await json(["create", "--dry-run=server", "-f", "-"], quota)).spec.hard[resource];
  };

  it.each(["1.500", "+1", "01", "0.5", "1000m", "1024Mi", "1.5Gi", "1e3", "1E3", "12e5", "007Ki"])(
    "are stored as we say: %s",
    async (text) => {
      expect(await stored(text)).toBe(quantityAsStored(text));
    },
  );

  it.each(["0.1m", "100u", "1100u"])("below a thousandth are rounded up: %s", async (text) => {
    expect(await stored(text)).toBe(formatQuantity(roundUpQuantity(parseQuantity(text), -3)));
  });
});

describe("label selectors", () => {
  it("select what the server selects", async () => {
    for (const [name, ...pairs] of [
      ["m1", "a=5", "b=x"],
      ["m2", "a=12"],
      ["m3", "b=y"],
    ] as const) {
      await controlPlane.kubectl(["create", "configmap", name]);
      await controlPlane.kubectl(["label", "configmap", name, ...pairs]);
    }
    const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();
    const all: readonly KubeObject[] = (await json(["get", "configmaps"])).items;
    const selectors = [
      "a=5",
      "a!=5",
      "a in (5,12),!b",
      "b notin (x)",
      "a>5",
      "a<12",
      "b",
      "!b",
      "a in (5,),b=x",
      "a==5",
    ];
    for (const selector of selectors) {
      const query = parseLabelSelector(selector);
      const chosen = (await json(["get", "configmaps", "-l", formatLabelSelector(query)])).items;
      const ours = all.filter(({ metadata }) => matchesLabels(query, metadata.labels));
      expect(names(ours), selector).toEqual(names(chosen));
    }
  });
});

it("[CL7] a controller reference is stored as it was set", async () => {
  const owner: Stored<ConfigMap> = await json(["create", "configmap", "owner"]);
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "owned", namespace: "default" },
  } as const;
  const owned = setControllerReference(
    { object: owner, resource: ConfigMap },
    { object: secret, resource: Secret },
  );
  const stored = await json(["create", "-f", "-"], owned);
  expect(controllerOf(stored)).toEqual(controllerOf(owned));
  expect(controllerOf(stored)).toMatchObject({
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  });
});
