import { Space } from "@keelson/testkit";
import type { Stored } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap, type PodSpec, Secret } from "keelson/kinds/core/v1";
import { expect } from "vitest";
import { ReloadRecord } from "../../src/api/reload-record.ts";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import type { ReloaderConfigSpecInput } from "../../src/api/spec.ts";

type Texts = Readonly<Record<string, string>>;

/** What a test chooses of a Deployment. */
export interface DeploymentChoice {
  readonly annotations?: Texts;
  readonly templateAnnotations?: Texts;
  readonly replicas?: number;
  /** Of the pods; its containers replace the one of the default. */
  readonly spec?: Partial<PodSpec>;
}

/** A container that uses all keys of a Secret or ConfigMap as variables. */
export function usingContainer(
  reference: { readonly secret?: string; readonly configMap?: string },
  name = "app",
): PodSpec["containers"][number] {
  const { secret, configMap } = reference;
  return {
    name,
    image: "nginx:alpine",
    envFrom: [
      ...(secret === undefined ? [] : [{ secretRef: { name: secret } }]),
      ...(configMap === undefined ? [] : [{ configMapRef: { name: configMap } }]),
    ],
  };
}

/** A namespace for one test, with operations on workloads and on what they use. */
export class ReloaderSpace extends Space {
  createSecret(name: string, data: Texts, metadata: object = {}): Promise<Stored<Secret>> {
    const { namespace } = this;
    return this.world.client.create(Secret, {
      metadata: { ...metadata, namespace, name },
      data: encoded(data),
    });
  }

  createConfigMap(name: string, data: Texts, metadata: object = {}): Promise<Stored<ConfigMap>> {
    const { namespace } = this;
    return this.world.client.create(ConfigMap, { metadata: { ...metadata, namespace, name }, data });
  }

  /** Changes a Secret by `kubectl patch`. */
  async changeSecret(name: string, data: Texts): Promise<void> {
    await this.kubectl(
      "patch",
      "secret",
      name,
      "--type=merge",
      "-p",
      JSON.stringify({ data: encoded(data) }),
    );
  }

  async changeConfigMap(name: string, data: Texts): Promise<void> {
    await this.kubectl("patch", "configmap", name, "--type=merge", "-p", JSON.stringify({ data }));
  }

  createDeployment(name: string, choice: DeploymentChoice = {}): Promise<Stored<Deployment>> {
    const { annotations = {}, templateAnnotations = {}, replicas = 1, spec = {} } = choice;
    const labels = { app: name };
    return this.world.client.create(Deployment, {
      metadata: { namespace: this.namespace, name, annotations },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: templateAnnotations },
          spec: { containers: [{ name: "app", image: "nginx:alpine" }], ...spec },
        },
      },
    });
  }

  createConfig(
    name: string,
    spec: ReloaderConfigSpecInput,
    metadata: object = {},
  ): Promise<Stored<ReloaderConfig>> {
    return this.world.client.create(ReloaderConfig, {
      metadata: { ...metadata, namespace: this.namespace, name },
      spec,
    });
  }

  /** How often the template of a Deployment was changed: generation 1 is the first template. */
  async reloadsOf(name: string): Promise<number> {
    return ((await this.get(Deployment, name)).metadata.generation ?? 1) - 1;
  }

  record(name: string, kind = "deployment"): Promise<Stored<ReloadRecord> | undefined> {
    return this.find(ReloadRecord, `${kind}-${name}`);
  }

  /** Resolves when the operator has recorded what the pods of a workload were started with. */
  async isAdopted(name: string, kind = "deployment"): Promise<void> {
    const baselines = async (): Promise<unknown> => (await this.record(name, kind))?.status?.baselines;
    await expect.poll(baselines, { timeout: 15_000 }).toBeDefined();
  }

  /** Resolves when a Deployment was reloaded so often, by its record and by its generation. */
  async isReloaded(name: string, times = 1): Promise<Stored<Deployment>> {
    const counted = async (): Promise<unknown> => (await this.record(name))?.status?.reloadCount;
    await expect.poll(counted, { timeout: 15_000 }).toBe(times);
    expect(await this.reloadsOf(name)).toBe(times);
    return this.get(Deployment, name);
  }
}

function encoded(data: Texts): Texts {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
}
