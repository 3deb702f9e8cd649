import { Space } from "@keelson/testkit";
import type { Stored } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { Pod, type PodSpec, Secret } from "keelson/kinds/core/v1";
import { expect } from "vitest";
import { type Decision, SecretAccess } from "../../src/api/secret-access.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import type { SharedSecretSpecInput } from "../../src/api/spec.ts";
import type { SharedSecretStatus } from "../../src/api/status.ts";

const quick = { terminationGracePeriodSeconds: 0 };

/** What a test chooses of a Deployment. */
export interface DeploymentChoice {
  readonly replicas?: number;
  /** Of its pods. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
}

/** A Deployment whose pods ask for the SharedSecret `db` of a namespace. */
export function asking(namespace: string, permission: "ro" | "rw" = "ro"): DeploymentChoice {
  const env = [{ name: "DB", value: `<${namespace}/db>` }];
  return {
    annotations: { [`vault.keelson.dev/secret-${permission}`]: `${namespace}/db` },
    spec: { containers: [{ name: "app", image: "app", env }] },
  };
}

/** A namespace for one test, with operations on SharedSecrets and their consumers. */
export class SharedSecretSpace extends Space {
  createSecret(
    name: string,
    spec: SharedSecretSpecInput = {},
    fields: object = {},
  ): Promise<Stored<SharedSecret>> {
    const metadata = { namespace: this.namespace, name };
    return this.world.client.create(SharedSecret, { metadata, spec, ...fields });
  }

  /** A SharedSecret that is approved, with its Secret. */
  async createApproved(name: string, spec: SharedSecretSpecInput = {}): Promise<void> {
    await this.createSecret(name, spec);
    await this.approveShare(name);
    await expect.poll(async () => (await this.status(name)).approved).toBe(true);
  }

  /** An approval that a SharedSecret is shared, which was not requested before. */
  async allowShare(secret: string, rotateSeconds = 0): Promise<void> {
    const { namespace } = this;
    const access = await this.world.client.create(SecretAccess, {
      metadata: { namespace, generateName: `${secret}-` },
      spec: { secret, permission: "Share", rotateSeconds },
    });
    await this.decide(access.metadata.name, "Approved");
  }

  /** Approves the request of a SharedSecret to be shared, when it exists. */
  async approveShare(name: string): Promise<void> {
    const share = async (): Promise<Stored<SecretAccess> | undefined> =>
      (await this.list(SecretAccess)).find(
        ({ spec, status }) =>
          spec.secret === name &&
          spec.permission === "Share" &&
          (status?.decision ?? "Pending") === "Pending",
      );
    await expect.poll(share).toBeDefined();
    await this.decide((await share())?.metadata.name ?? "", "Approved");
  }

  /** Decides as a person does. */
  async decide(access: string, decision: Decision): Promise<void> {
    const patch = JSON.stringify({ status: { decision } });
    await this.kubectl("patch", "secretaccess", access, "--subresource=status", "--type=merge", "-p", patch);
  }

  /** An approved access of a consumer, which was not requested before. */
  async allow(
    secret: string,
    consumer: NonNullable<SecretAccess["spec"]["consumer"]>,
    permission: "ReadOnly" | "ReadWrite" = "ReadOnly",
  ): Promise<string> {
    const { namespace } = this;
    const access = await this.world.client.create(SecretAccess, {
      metadata: { namespace, generateName: `${secret}-` },
      spec: { secret, permission, consumer },
    });
    await this.decide(access.metadata.name, "Approved");
    return access.metadata.name;
  }

  allowDeployment(secret: string, name: string, permission?: "ReadOnly" | "ReadWrite"): Promise<string> {
    return this.allow(secret, { kind: "Deployment", name }, permission);
  }

  async status(name: string): Promise<SharedSecretStatus> {
    return (await this.get(SharedSecret, name)).status ?? {};
  }

  /** Resolves when the consumers of a SharedSecret are these, as its status shows them. */
  async hasConsumers(name: string, ...consumers: readonly string[]): Promise<void> {
    const shown = async (): Promise<readonly string[]> =>
      ((await this.status(name)).consumers ?? []).map(({ consumer }) => consumer);
    await expect.poll(shown).toEqual(consumers.map((each) => `${this.namespace}/${each}`));
  }

  /** Writes another value, as a rotator does, without the flag. */
  async writeValue(name: string, value: string): Promise<void> {
    const patch = JSON.stringify({ stringData: { value } });
    await this.kubectl("patch", "secret", `${name}-secret`, "--type=merge", "-p", patch);
  }

  /** Sets the flag of the seed. */
  async flag(name: string): Promise<void> {
    await this.kubectl("patch", "sharedsecret", name, "--type=merge", "-p", '{"podsRestartRequired":true}');
  }

  /** Sets the flag by the status, as a rotator with that permission does. */
  async flagStatus(name: string): Promise<void> {
    const patch = '{"status":{"podsRestartRequired":true}}';
    await this.kubectl("patch", "sharedsecret", name, "--subresource=status", "--type=merge", "-p", patch);
  }

  /** Resolves when no restart is required any more. */
  async isRestarted(name: string, timeout = 30_000): Promise<void> {
    const flags = async (): Promise<unknown> => {
      const { podsRestartRequired, status } = await this.get(SharedSecret, name);
      return [podsRestartRequired, status?.podsRestartRequired];
    };
    await expect.poll(flags, { timeout }).toEqual([false, false]);
  }

  createDeployment(name: string, choice: DeploymentChoice = {}): Promise<Stored<Deployment>> {
    const { replicas = 1, annotations = {}, spec = {} } = choice;
    const labels = { app: name };
    return this.world.client.create(Deployment, {
      metadata: { namespace: this.namespace, name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: { containers: [{ name: "app", image: "app" }], ...quick, ...spec },
        },
      },
    });
  }

  /** How often the template of a Deployment was changed: generation 1 is the first template. */
  async rolloutsOf(name: string): Promise<number> {
    return ((await this.get(Deployment, name)).metadata.generation ?? 1) - 1;
  }

  /** The pods that run. */
  async readyPods(prefix = ""): Promise<readonly Stored<Pod>[]> {
    return (await this.list(Pod)).filter(
      ({ metadata, status }) =>
        metadata.name.startsWith(prefix) &&
        metadata.deletionTimestamp === undefined &&
        status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true,
    );
  }

  /** Resolves with the pods when so many are ready. */
  async hasPods(prefix: string, count: number): Promise<readonly Stored<Pod>[]> {
    await expect.poll(async () => (await this.readyPods(prefix)).length).toBe(count);
    return this.readyPods(prefix);
  }

  /** What the first variable of the pods of a Deployment is: a reference to a Secret, or a text. */
  async variables(name: string): Promise<readonly unknown[]> {
    const pods = await this.readyPods(name);
    const values = pods.map(({ spec }) => spec?.containers[0]?.env?.[0]);
    return [...new Set(values.map((each) => each?.valueFrom?.secretKeyRef?.name ?? each?.value))];
  }

  async valueIn(secret: string): Promise<string> {
    const { data = {} } = await this.get(Secret, secret);
    return Buffer.from(data.value ?? "", "base64").toString();
  }
}
