import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kubeconfig } from "@keelson/core";
import { type Access, issueAccess } from "./access.ts";
import { binaryPath } from "./binaries/binaries.ts";
import { findBinaries } from "./binaries/find-binaries.ts";
import { Component, type ComponentName, type ComponentSpec } from "./components/component.ts";
import { componentSpecs } from "./components/component-specs.ts";
import type { ControlPlane, ControlPlaneOptions, UserOptions } from "./control-plane.ts";
import { type ComponentExitedError, ControlPlaneStoppedError, UnknownComponentError } from "./errors.ts";
import {
  type KubectlOptions,
  type KubectlResult,
  type KubectlSetting,
  runKubectl,
  tryKubectl,
} from "./kubectl.ts";
import { apiServerUrl, fileIn, type Layout } from "./layout.ts";
import { claimPort } from "./loopback-ports.ts";
import { type Pki, preparePki } from "./pki.ts";
import { Guardian } from "./process/guardian.ts";
import { grantRules } from "./rbac-grant.ts";

/**
 * Starts etcd and kube-apiserver, and on request kube-controller-manager and kube-scheduler, on free ports of
 * 127.0.0.1 with a folder of their own, so that many can run side by side. Returns when all are ready.
 *
 * Whatever happens to this process, the components end with it and the folder is removed. A component that dies or
 * does not become ready gives an error with the end of its log, and nothing stays behind.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const components = chosenComponents(options);
  const { signal, onProgress } = options;
  const binaries =
    options.binaries ??
    (await findBinaries({
      need: [...components, "kubectl"],
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    }));
  signal?.throwIfAborted();
  const ground = await prepareGround();
  try {
    const pki = await preparePki(ground.layout);
    const specs = componentSpecs(ground.layout, pki.adminApi, {
      components,
      binariesFolder: binaries.folder,
      extraArgs: options.args ?? {},
      readyTimeoutMs: options.readyTimeoutMs ?? 60_000,
    });
    const plane = new RunningControlPlane(ground, pki, specs, binaryPath(binaries.folder, "kubectl"));
    await plane.start(signal);
    return plane;
  } catch (error) {
    await ground.guardian.dismiss();
    throw error;
  }
}

function chosenComponents(options: ControlPlaneOptions): readonly ComponentName[] {
  const components: ComponentName[] = ["etcd", "kube-apiserver"];
  if (options.controllerManager === true) components.push("kube-controller-manager");
  if (options.scheduler === true) components.push("kube-scheduler");
  return components;
}

/** What a control plane occupies on the machine and must give back. */
interface Ground {
  readonly layout: Layout;
  readonly guardian: Guardian;
}

async function prepareGround(): Promise<Ground> {
  const etcdClients = await claimPort();
  const etcdPeers = await claimPort();
  const apiServer = await claimPort();
  const controllerManager = await claimPort();
  const scheduler = await claimPort();
  const folder = await mkdtemp(join(tmpdir(), "keelson-controlplane-"));
  const layout = {
    folder,
    ports: {
      etcdClients: etcdClients.port,
      etcdPeers: etcdPeers.port,
      apiServer: apiServer.port,
      controllerManager: controllerManager.port,
      scheduler: scheduler.port,
    },
  };
  const claims = [etcdClients, etcdPeers, apiServer, controllerManager, scheduler];
  const guardian = new Guardian(folder, ...claims.map(({ file }) => file));
  await mkdir(fileIn(layout, "logs"));
  return { layout, guardian };
}

class RunningControlPlane implements ControlPlane {
  readonly url: string;
  readonly folder: string;
  readonly kubeconfig: Kubeconfig;
  readonly kubeconfigPath: string;
  readonly components: readonly ComponentName[];
  readonly crashed: Promise<ComponentExitedError>;
  readonly #ground: Ground;
  readonly #pki: Pki;
  readonly #running: ReadonlyMap<ComponentName, Component>;
  readonly #kubectl: string;
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  constructor(ground: Ground, pki: Pki, specs: ReadonlyMap<ComponentName, ComponentSpec>, kubectl: string) {
    this.#ground = ground;
    this.#pki = pki;
    this.#kubectl = kubectl;
    this.url = apiServerUrl(ground.layout);
    this.folder = ground.layout.folder;
    this.kubeconfig = pki.admin.kubeconfig;
    this.kubeconfigPath = pki.admin.kubeconfigPath;
    this.components = [...specs.keys()];
    const { promise, resolve } = Promise.withResolvers<ComponentExitedError>();
    this.crashed = promise;
    this.#running = new Map(
      [...specs].map(([name, spec]) => [name, new Component(spec, ground.guardian, resolve)]),
    );
  }

  async start(signal: AbortSignal | undefined): Promise<void> {
    await this.#component("etcd").start(signal);
    await this.#component("kube-apiserver").start(signal);
    const controllers = this.components.filter((name) => name !== "etcd" && name !== "kube-apiserver");
    await Promise.all(controllers.map((name) => this.#component(name).start(signal)));
  }

  async createUser(options: UserOptions): Promise<Access> {
    const { user, rules, namespace } = options;
    const file = join(fileIn(this.#ground.layout, "users"), `${encodeURIComponent(user)}.kubeconfig`);
    const { kubeconfig, kubeconfigPath } = await issueAccess(this.#pki.authority, this.url, options, file);
    if (rules !== undefined) {
      await grantRules(this.#pki.adminApi, { user, rules, ...(namespace !== undefined && { namespace }) });
    }
    return { kubeconfig, kubeconfigPath };
  }

  async kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    return await runKubectl(this.#kubectlSetting(), args, options);
  }

  async tryKubectl(args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    return await tryKubectl(this.#kubectlSetting(), args, options);
  }

  async kill(component: ComponentName, signal?: "SIGKILL" | "SIGTERM"): Promise<void> {
    await this.#component(component).kill(signal);
  }

  async restart(component: ComponentName): Promise<void> {
    await this.#component(component).kill();
    // A stop in the meantime wins: it has aborted the signal.
    await this.#component(component).start(this.#stopping.signal);
  }

  stop(): Promise<void> {
    this.#stopping.abort(new ControlPlaneStoppedError(this.folder));
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #kubectlSetting(): KubectlSetting {
    this.#stopping.signal.throwIfAborted();
    const cacheFolder = fileIn(this.#ground.layout, "kubectlCache");
    const { guardian } = this.#ground;
    return { program: this.#kubectl, kubeconfigPath: this.kubeconfigPath, cacheFolder, guardian };
  }

  async #stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map((component) => component.kill()));
    // One way out, whether we stop, fail or die: the guardian removes folder and claims.
    await this.#ground.guardian.dismiss();
  }

  /** Throws once `stop` was called: nothing may start that would never be stopped. */
  #component(name: ComponentName): Component {
    this.#stopping.signal.throwIfAborted();
    const component = this.#running.get(name);
    if (component === undefined) throw new UnknownComponentError(name, this.components);
    return component;
  }
}
