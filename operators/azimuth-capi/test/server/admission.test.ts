import { Space, startWorld, type World } from "@keelson/testkit";
import { defineOperator, type InputOf, mergePatch } from "keelson";
import { ValidatingWebhookConfiguration } from "keelson/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterStatus } from "../../src/api/cluster.ts";
import { configuredNames } from "../../src/api/configured-names.ts";
import { kindsOf } from "../../src/kinds.ts";
import { settings } from "../../src/settings.ts";
import { azimuthAdmissions } from "../../src/webhook/admissions.ts";

const chosen = settings.parse({});
const kinds = kindsOf(chosen);
const { Cluster, ClusterTemplate } = kinds;
const names = configuredNames(chosen);
const credentials = "test-cloud-credentials";

/** An operator of webhooks alone. */
const webhooksOnly = defineOperator({
  name: "azimuth-admission",
  resources: [Cluster, ClusterTemplate],
  ...azimuthAdmissions({ kinds, names }),
});

const clusterDenial =
  'admission webhook "validate.cluster.webhook.azimuth.stackhpc.com" denied the request: ';
const templateDenial =
  'admission webhook "validate.cluster-template.webhook.azimuth.stackhpc.com" denied the request: ';

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await world.runOperator(webhooksOnly, { webhooks: true });
});
afterAll(() => world?.stop());

/** A namespace with credentials, and templates for it alone. */
class AdmissionSpace extends Space {
  static async open(): Promise<AdmissionSpace> {
    const space = await AdmissionSpace.create(world);
    const metadata = { namespace: space.namespace, name: credentials };
    await world.client.create(Secret, { metadata, stringData: { "clouds.yaml": "clouds: {}" } });
    return space;
  }

  /** Creates a template, and returns its name. */
  async template(version: string, fields: object = {}): Promise<string> {
    const name = this.templateName(version);
    await this.applyManifest(templateManifest(name, { ...templateSpec(version), ...fields }));
    return name;
  }

  templateName(version: string): string {
    return `${this.namespace}-${version}`;
  }

  /** Creates a Cluster of a template. */
  async cluster(name: string, template: string, metadata: object = {}): Promise<void> {
    await this.applyManifest(clusterManifest(name, clusterSpec(template), metadata));
  }

  async setStatus(name: string, status: ClusterStatus): Promise<void> {
    await world.client
      .status(Cluster)
      .patch({ namespace: this.namespace, name }, mergePatch({ status }), { fieldOwner: "test" });
  }

  /** Deletes the credentials. */
  async loseCredentials(): Promise<void> {
    await world.client.delete(Secret, { namespace: this.namespace, name: credentials });
  }

  /** What kubectl complains about if a Cluster gets another template. */
  async upgradeRefusal(name: string, template: string): Promise<string> {
    return this.refusal(clusterManifest(name, clusterSpec(template)));
  }

  /** What a command of kubectl complains about; empty if it does not. */
  async complaint(...args: readonly string[]): Promise<string> {
    const { exitCode, stderr } = await world.cluster.tryKubectl(["-n", this.namespace, ...args]);
    return exitCode === 0 ? "" : stderr;
  }
}

function clusterSpec(templateName: string): InputOf<typeof Cluster>["spec"] {
  return {
    label: "Test",
    templateName,
    cloudCredentialsSecretName: credentials,
    controlPlaneMachineSize: "m1.small",
    nodeGroups: [{ name: "main", machineSize: "m1.small", count: 1 }],
    createdByUsername: null,
  };
}

function clusterManifest(name: string, spec: object, metadata: object = {}): object {
  return {
    apiVersion: "azimuth.stackhpc.com/v1alpha1",
    kind: "Cluster",
    metadata: { ...metadata, name },
    spec,
  };
}

function templateSpec(version: string): object {
  const values = { kubernetesVersion: version, machineImageId: "5a5f", nodeGroupDefaults: { a: [1, null] } };
  return { label: `Kubernetes ${version}`, description: "A template", values };
}

function templateManifest(name: string, spec: object): object {
  return { apiVersion: "azimuth.stackhpc.com/v1alpha1", kind: "ClusterTemplate", metadata: { name }, spec };
}

it("E: the webhooks are registered at the paths of the original", async () => {
  const { items } = await world.client.list(ValidatingWebhookConfiguration);
  const webhooks = items
    .flatMap(({ webhooks: each = [] }) => each)
    .filter(({ name }) => name.endsWith("azimuth.stackhpc.com"));
  const shown = webhooks.map(
    ({ name, clientConfig, failurePolicy, sideEffects, matchPolicy, rules = [] }) => [
      name,
      new URL(clientConfig.url ?? "").pathname,
      [failurePolicy, sideEffects, matchPolicy],
      rules.flatMap(({ operations = [], resources = [] }) => [...resources, ...operations]),
    ],
  );
  const common = ["Fail", "None", "Equivalent"];
  expect(shown.sort()).toEqual([
    [
      "validate.cluster-template.webhook.azimuth.stackhpc.com",
      "/validate-cluster-template",
      common,
      ["clustertemplates", "CREATE", "DELETE", "UPDATE"],
    ],
    [
      "validate.cluster.webhook.azimuth.stackhpc.com",
      "/validate-cluster",
      common,
      ["clusters", "CREATE", "UPDATE"],
    ],
  ]);
});

describe("a Cluster that is created", () => {
  it("C6: is stored with its nulls, once its Secret and its template exist", async () => {
    const space = await AdmissionSpace.open();
    const templateName = await space.template("1.31.2");
    const nodeGroups = [{ name: "main", machineSize: "m1.small", count: 1, minCount: null, maxCount: null }];
    const metadata = { namespace: space.namespace, name: "test" };
    await world.client.create(Cluster, { metadata, spec: { ...clusterSpec(templateName), nodeGroups } });
    expect((await space.get(Cluster, "test")).spec.nodeGroups).toEqual(nodeGroups);
  });

  it("C6: may get its name from the server", async () => {
    const space = await AdmissionSpace.open();
    const templateName = await space.template("1.31.2");
    const { metadata } = await world.client.create(Cluster, {
      metadata: { namespace: space.namespace, generateName: "test-" },
      spec: clusterSpec(templateName),
    });
    expect(metadata.name).toMatch(/^test-./);
  });

  it.each([
    [
      { nodeGroups: [{ name: "a", machineSize: "b" }] },
      "count",
      "must be given for a non-autoscaled node group",
    ],
    [
      { nodeGroups: [{ name: "a", machineSize: "b", autoscale: true, maxCount: 1 }] },
      "minCount",
      "must be given for an autoscaled node group",
    ],
    [
      { nodeGroups: [{ name: "a", machineSize: "b", autoscale: true, minCount: 1, maxCount: null }] },
      "maxCount",
      "must be given for an autoscaled node group",
    ],
    [
      { nodeGroups: [{ name: "a", machineSize: "b", autoscale: true, minCount: 3, maxCount: 2 }] },
      "maxCount",
      "must be greater than or equal to the minimum count",
    ],
  ])(
    "C1: is denied by the webhook for what the schema cannot express: %j",
    async (fields, field, message) => {
      const space = await AdmissionSpace.open();
      const template = await space.template("1.31.2");
      const refusal = await space.refusal(clusterManifest("bad", { ...clusterSpec(template), ...fields }));
      expect(refusal).toContain("Error from server (BadRequest)");
      expect(refusal).toContain(
        `${clusterDenial}1 validation error for ClusterSpec\nnodeGroups.0.${field}\n  ${message}`,
      );
    },
  );

  it.each([
    [{ label: undefined }, "spec.label: Required value"],
    [{ label: "" }, "spec.label: Invalid value"],
    [{ templateName: 5 }, "spec.templateName: Invalid value"],
    [{ addons: { monitoringLokiVolumeSize: 0 } }, "spec.addons.monitoringLokiVolumeSize: Invalid value"],
    [
      { addons: { ingressControllerLoadBalancerIp: "::1" } },
      "spec.addons.ingressControllerLoadBalancerIp: Invalid value",
    ],
    [{ nodeGroups: [{ name: "", machineSize: "b", count: -1 }] }, "spec.nodeGroups[0].count: Invalid value"],
  ])(
    "C1: is refused by the schema for a single field, before the webhook is called: %j",
    async (fields, message) => {
      const space = await AdmissionSpace.open();
      const refusal = await space.refusal(
        clusterManifest("bad", { ...clusterSpec(space.templateName("1.31.2")), ...fields }),
      );
      expect(refusal).toContain(message);
      expect(refusal).not.toContain("denied the request");
    },
  );

  it("C1: is denied by the webhook for a single field if the schema accepts everything", async () => {
    const space = await AdmissionSpace.open();
    const spec = { ...clusterSpec("none"), label: "", nodeGroups: [{ name: "a", machineSize: 5 }] };
    await withoutSchema(async () => {
      expect(await space.refusal(clusterManifest("bad", spec))).toContain(
        `${clusterDenial}3 validation errors for ClusterSpec\n` +
          "label\n  String should have at least 1 character\n" +
          "nodeGroups.0.machineSize\n  Input should be a valid string\n" +
          "nodeGroups.0.count\n  must be given for a non-autoscaled node group",
      );
    });
  });

  it("C2: is denied without its Secret", async () => {
    const space = await AdmissionSpace.open();
    const template = await space.template("1.31.2");
    for (const name of ["none", "a/b", ".."]) {
      const spec = { ...clusterSpec(template), cloudCredentialsSecretName: name };
      expect(await space.refusal(clusterManifest("bad", spec))).toContain(
        `${clusterDenial}specified cloud credentials secret does not exist`,
      );
    }
  });

  it("C3: is denied without its template", async () => {
    const space = await AdmissionSpace.open();
    for (const name of ["none", "a/b"])
      expect(await space.refusal(clusterManifest("bad", clusterSpec(name)))).toContain(
        `${clusterDenial}specified cluster template does not exist`,
      );
  });

  it("C5: is denied with a deprecated template", async () => {
    const space = await AdmissionSpace.open();
    const template = await space.template("1.31.2", { deprecated: true });
    expect(await space.refusal(clusterManifest("bad", clusterSpec(template)))).toContain(
      `${clusterDenial}specified cluster template is deprecated`,
    );
  });
});

describe("a Cluster that changes", () => {
  it("C4: may keep a template that was deprecated since", async () => {
    const space = await AdmissionSpace.open();
    const template = await space.template("1.31.2");
    await space.cluster("test", template);
    await space.template("1.31.2", { deprecated: true });
    await space.applyManifest(clusterManifest("test", { ...clusterSpec(template), label: "Other" }));
    expect((await space.get(Cluster, "test")).spec.label).toBe("Other");
  });

  it("C2: is denied if its Secret does not exist any more", async () => {
    const space = await AdmissionSpace.open();
    const template = await space.template("1.31.2");
    await space.cluster("test", template);
    await space.loseCredentials();
    const changed = clusterManifest("test", { ...clusterSpec(template), label: "Other" });
    expect(await space.refusal(changed)).toContain("specified cloud credentials secret does not exist");
  });

  it("C5, C7, C8, C9: may not have a template of any version", async () => {
    const space = await AdmissionSpace.open();
    await space.cluster("test", await space.template("1.31.2"));
    const refusals = [
      ["1.31.1", {}, "specified cluster template would be a downgrade"],
      ["2.0.0", {}, "upgrading to a new major version is not supported"],
      ["1.33.0", {}, "upgrading by more than one minor version is not supported"],
      ["1.31.3", { deprecated: true }, "specified cluster template is deprecated"],
    ] as const;
    for (const [version, fields, message] of refusals) {
      const template = await space.template(version, fields);
      expect(await space.upgradeRefusal("test", template)).toContain(`${clusterDenial}${message}`);
    }
    expect(await space.upgradeRefusal("test", "none")).toContain("specified cluster template does not exist");
    expect((await space.get(Cluster, "test")).spec.templateName).toBe(space.templateName("1.31.2"));
  });

  it("C10, C11, L8: is upgraded once its nodes have followed the last upgrade", async () => {
    const space = await AdmissionSpace.open();
    await space.cluster("test", await space.template("v1.31.2"));
    // No nodes yet.
    await space.cluster("test", await space.template("v1.32.0"));
    await space.setStatus("test", {
      nodes: { a: { kubeletVersion: "1.31.2" }, b: { kubeletVersion: "1.32.0" }, c: {} },
    });
    const next = await space.template("v1.33.0");
    expect(await space.upgradeRefusal("test", next)).toContain(
      `${clusterDenial}upgrading to more than one minor version newer than the oldest node is not supported`,
    );
    await space.setStatus("test", { nodes: { a: { kubeletVersion: null }, b: {}, c: {} } });
    await space.cluster("test", next);
  });

  it("E: may change its metadata and its status, whatever has become of its Secret and its template", async () => {
    const space = await AdmissionSpace.open();
    const template = await space.template("1.31.2");
    await space.cluster("test", template);
    await space.loseCredentials();
    expect(await space.complaint("label", "cluster.azimuth.stackhpc.com", "test", "a=b")).toBe("");
    expect(await space.complaint("annotate", "cluster.azimuth.stackhpc.com", "test", "a/b=c")).toBe("");
    const finalizers = JSON.stringify({ metadata: { finalizers: [names.finalizer] } });
    expect(
      await space.complaint(
        "patch",
        "cluster.azimuth.stackhpc.com",
        "test",
        "--type=merge",
        "-p",
        finalizers,
      ),
    ).toBe("");
    await space.setStatus("test", { phase: "Ready" });
    expect((await space.get(Cluster, "test")).metadata).toMatchObject({
      labels: { a: "b" },
      annotations: { "a/b": "c" },
      finalizers: [names.finalizer],
    });
  });

  it("E: may change in any way while it is being deleted", async () => {
    const space = await AdmissionSpace.open();
    const template = await space.template("1.31.2");
    await space.cluster("test", template, { finalizers: [names.finalizer] });
    await space.kubectl("delete", "cluster.azimuth.stackhpc.com", "test", "--wait=false");
    await space.loseCredentials();
    const patch = (change: object): Promise<string> =>
      space.complaint(
        ...["patch", "cluster.azimuth.stackhpc.com", "test", "--type=merge", "-p"],
        JSON.stringify(change),
      );
    expect(await patch({ spec: { templateName: "none" } })).toBe("");
    expect(await patch({ metadata: { finalizers: null } })).toBe("");
    await expect.poll(() => space.find(Cluster, "test")).toBeUndefined();
  });

  it("E: may change its metadata and be deleted while no operator serves the webhooks", async () => {
    const space = await AdmissionSpace.open();
    const template = await space.template("1.31.2");
    await space.cluster("test", template, { finalizers: [names.finalizer] });
    await using _ = await unreachableWebhooks(space.namespace);
    const changed = clusterManifest("test", { ...clusterSpec(template), label: "Other" });
    await expect.poll(() => space.refusal(changed)).toContain("failed calling webhook");
    expect(await space.complaint("label", "cluster.azimuth.stackhpc.com", "test", "a=b")).toBe("");
    await space.kubectl("delete", "cluster.azimuth.stackhpc.com", "test", "--wait=false");
    const patch = JSON.stringify({ metadata: { finalizers: null } });
    await space.kubectl("patch", "cluster.azimuth.stackhpc.com", "test", "--type=merge", "-p", patch);
    await expect.poll(() => space.find(Cluster, "test")).toBeUndefined();
  });
});

describe("a ClusterTemplate", () => {
  it.each([
    [{ label: "" }, "spec.label: Invalid value"],
    [{ values: { kubernetesVersion: "1.31.2" } }, "spec.values.machineImageId: Required value"],
  ])("T1: is refused by the schema for a field that is missing or empty: %j", async (fields, message) => {
    const space = await AdmissionSpace.open();
    const spec = { ...templateSpec("1.31.2"), ...fields };
    const refusal = await space.refusal(templateManifest(space.templateName("bad"), spec));
    expect(refusal).toContain(message);
    expect(refusal).not.toContain("denied the request");
  });

  it("T1: is denied by the webhook for a missing field if the schema accepts everything", async () => {
    const space = await AdmissionSpace.open();
    const spec = { label: "Kubernetes", description: "A template", values: { kubernetesVersion: "1.31.2" } };
    await withoutSchema(async () => {
      expect(await space.refusal(templateManifest(space.templateName("bad"), spec))).toContain(
        `${templateDenial}1 validation error for ClusterTemplateSpec\nvalues.machineImageId\n  Field required`,
      );
    });
  });

  it("T1: may have a version that is no SemVer version, with a warning", async () => {
    const space = await AdmissionSpace.open();
    const input = JSON.stringify(templateManifest(space.templateName("odd"), templateSpec("1.31")));
    const { exitCode, stderr } = await world.cluster.tryKubectl(["apply", "-f", "-"], { input });
    expect([exitCode, stderr]).toEqual([
      0,
      "Warning: values.kubernetesVersion is not a SemVer version, so no Cluster can be upgraded to it: 1.31\n",
    ]);
  });

  it("T2, L15: is not deleted while a Cluster uses it, which is shown by its label or its spec", async () => {
    const space = await AdmissionSpace.open();
    const [installed, next] = [await space.template("1.31.2"), await space.template("1.32.0")];
    const labels = { [names.templateLabel]: installed };
    await space.cluster("test", next, { labels });
    const deletion = (name: string): Promise<string> => space.complaint("delete", "clustertemplate", name);
    const inUse = `${templateDenial}template is in use by at least one cluster`;
    await expect.poll(() => deletion(next)).toContain(inUse);
    expect(await deletion(installed)).toContain(inUse);
    await space.kubectl("label", "cluster.azimuth.stackhpc.com", "test", `${names.templateLabel}-`);
    await expect.poll(() => deletion(installed)).toBe("");
    await space.kubectl("delete", "cluster.azimuth.stackhpc.com", "test");
    await expect.poll(() => deletion(next)).toBe("");
  });

  it("T2: is deleted while no Cluster uses it, though others of a similar name are used", async () => {
    const space = await AdmissionSpace.open();
    await space.cluster("test", await space.template("1.31.20"));
    expect(await space.complaint("delete", "clustertemplate", await space.template("1.31.2"))).toBe("");
  });
});

/** Registers the webhooks of the running operator for a namespace once more, at an address at which nothing listens. */
async function unreachableWebhooks(namespace: string): Promise<AsyncDisposable> {
  const [registered] = (await world.client.list(ValidatingWebhookConfiguration)).items;
  const metadata = { name: `unreachable-${namespace}` };
  const webhooks = (registered?.webhooks ?? []).map((webhook) => ({
    ...webhook,
    clientConfig: { url: "https://127.0.0.1:1" },
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
  }));
  await world.client.create(ValidatingWebhookConfiguration, { metadata, webhooks });
  return {
    [Symbol.asyncDispose]: async () => {
      await world.client.delete(ValidatingWebhookConfiguration, metadata);
    },
  };
}

/** Runs with CustomResourceDefinitions that accept every spec. */
async function withoutSchema(run: () => Promise<void>): Promise<void> {
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const definitions = [Cluster, ClusterTemplate].map((kind) => kind.crd());
  const put = async (change: (version: object) => object): Promise<void> => {
    for (const { metadata, spec } of definitions) {
      const patch = mergePatch({ spec: { versions: spec.versions.map(change) } });
      await world.client.patch(CustomResourceDefinition, { name: metadata.name }, patch);
    }
  };
  await put((version) => ({ ...version, schema: { openAPIV3Schema: free } }));
  try {
    await expect.poll(refusers).toEqual(["a webhook", "a webhook"]);
    await run();
  } finally {
    await put((version) => version);
    await expect.poll(refusers).toEqual(["a schema", "a schema"]);
  }
}

/** Whether the schema of each kind, which is looked at first, or its webhook refuses an empty spec. */
async function refusers(): Promise<readonly string[]> {
  const probes = [clusterManifest("probe", { label: "" }), templateManifest("probe", { label: "" })];
  return Promise.all(
    probes.map(async (probe) => {
      const args = ["apply", "--dry-run=server", "--validate=false", "-f", "-"];
      const { stderr } = await world.cluster.tryKubectl(args, { input: JSON.stringify(probe) });
      if (stderr.includes("denied the request")) return "a webhook";
      return stderr.includes("spec.label") ? "a schema" : stderr;
    }),
  );
}
