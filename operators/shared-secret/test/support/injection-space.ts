import { Space } from "@keelson/testkit";
import type { ObjectKey, Stored } from "keelson";
import { Pod, type PodSpec } from "keelson/kinds/core/v1";
import { expect } from "vitest";
import { injectedAnnotation } from "../../src/api/names.ts";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import type { SharedSecretSpecInput } from "../../src/api/spec.ts";
import type { ConsumerStatus } from "../../src/api/status.ts";

type Texts = Readonly<Record<string, string>>;

/** What a test chooses of a pod. */
export interface PodChoice {
  readonly metadata?: object;
  readonly spec?: Partial<PodSpec>;
}

let probes = 0;

/** A namespace for one test, with SharedSecrets whose status the test writes itself, and pods that ask for them. */
export class InjectionSpace extends Space {
  /** Creates a SharedSecret that has no consumers. */
  async createSecret(name: string, spec: SharedSecretSpecInput = {}): Promise<ObjectKey> {
    const metadata = { namespace: this.namespace, name };
    await this.world.client.create(SharedSecret, { metadata, spec });
    return metadata;
  }

  /** Approves consumers, and resolves when the webhook knows of it. */
  async approve(
    { namespace, name }: ObjectKey,
    consumers: readonly ConsumerStatus[],
    rotateSeconds = 0,
  ): Promise<void> {
    probes += 1;
    const probe = `probe-${probes}`;
    const known = { consumer: `${this.namespace}/${probe}`, permission: "ReadOnly" } as const;
    const status = { approved: true, rotateSeconds, consumers: [...consumers, known] };
    const patch = JSON.stringify({ status });
    await this.world.cluster.kubectl([
      ...["-n", namespace ?? "", "patch", "sharedsecret", name],
      ...["--subresource=status", "--type=merge", "-p", patch],
    ]);
    const asking = this.asking({ ro: `${namespace}/${name}` });
    const probed = async () =>
      (await this.createPod(probe, asking, {}, { dryRun: true })).metadata.annotations;
    await expect.poll(probed).toMatchObject({ [injectedAnnotation]: `${namespace}/${name}:ReadOnly` });
  }

  /** The annotations by which a pod asks for SharedSecrets. */
  asking({ ro, rw }: { readonly ro?: string; readonly rw?: string }): Texts {
    return {
      ...(ro !== undefined && { "vault.keelson.dev/secret-ro": ro }),
      ...(rw !== undefined && { "tororu.zondax.io/secret-rw": rw }),
    };
  }

  /** Creates a pod with one container, unless it has others. */
  createPod(
    name: string,
    annotations: Texts,
    choice: PodChoice = {},
    options: { readonly dryRun?: boolean } = {},
  ): Promise<Stored<Pod>> {
    return this.world.client.create(Pod, podManifest(this.namespace, name, annotations, choice), options);
  }

  /** The warnings of kubectl when it creates a pod. */
  async warningsOf(name: string, annotations: Texts, choice: PodChoice = {}): Promise<readonly string[]> {
    const manifest = podManifest(this.namespace, name, annotations, choice);
    const input = JSON.stringify({ apiVersion: "v1", kind: "Pod", ...manifest });
    const { exitCode, stderr } = await this.world.cluster.tryKubectl(["create", "-f", "-"], { input });
    expect(exitCode, stderr).toBe(0);
    return stderr.split("\n").flatMap((line) => /^Warning: (.*)$/.exec(line)?.[1] ?? []);
  }
}

function podManifest(
  namespace: string,
  name: string,
  annotations: Texts,
  { metadata = {}, spec = {} }: PodChoice,
) {
  return {
    metadata: { namespace, name, annotations, ...metadata },
    spec: { ...podSpec(), ...spec },
  };
}

/** A container with a variable of this value. */
export function podSpec(value = "plain"): PodSpec {
  return { containers: [{ name: "app", image: "nginx:1", env: [{ name: "PASSWORD", value }] }] };
}
