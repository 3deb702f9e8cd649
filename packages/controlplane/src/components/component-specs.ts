import { join } from "node:path";
import { type ApiAccess, apiGet } from "../api-access.ts";
import { binaryPath } from "../binaries/binaries.ts";
import { etcdUrl, fileIn, type Layout } from "../layout.ts";
import { loopbackRequest } from "../loopback-request.ts";
import type { ComponentName, ComponentSpec } from "./component.ts";
import { apiServerArgs, controllerManagerArgs, etcdArgs, schedulerArgs } from "./component-args.ts";

export interface ComponentSettings {
  readonly components: readonly ComponentName[];
  readonly binariesFolder: string;
  readonly extraArgs: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
  readonly readyTimeoutMs: number;
}

/** How each chosen component is started and when it counts as ready. */
export function componentSpecs(
  layout: Layout,
  admin: ApiAccess,
  settings: ComponentSettings,
): ReadonlyMap<ComponentName, ComponentSpec> {
  const hasServiceAccounts = settings.components.includes("kube-controller-manager");
  const args: Record<ComponentName, readonly string[]> = {
    etcd: etcdArgs(layout),
    "kube-apiserver": apiServerArgs(layout, { hasServiceAccounts }),
    "kube-controller-manager": controllerManagerArgs(layout),
    "kube-scheduler": schedulerArgs(layout),
  };
  const probes = componentProbes(layout, admin);
  const specOf = (name: ComponentName): ComponentSpec => ({
    name,
    program: binaryPath(settings.binariesFolder, name),
    args: [...args[name], ...(settings.extraArgs[name] ?? [])],
    logFile: join(fileIn(layout, "logs"), `${name}.log`),
    readyTimeoutMs: settings.readyTimeoutMs,
    probe: probes[name],
  });
  return new Map(settings.components.map((name) => [name, specOf(name)]));
}

type Probes = Readonly<Record<ComponentName, ComponentSpec["probe"]>>;

function componentProbes(layout: Layout, admin: ApiAccess): Probes {
  const { ca } = admin.tls;
  const healthz = (port: number) =>
    loopbackRequest({ url: `https://127.0.0.1:${port}/healthz`, tls: { ca } });
  return {
    etcd: () => allSucceed([() => loopbackRequest({ url: `${etcdUrl(layout)}/readyz` })]),
    // A server that reports ready may still lack the default namespace.
    "kube-apiserver": () =>
      allSucceed([() => apiGet(admin, "/readyz"), () => apiGet(admin, "/api/v1/namespaces/default")]),
    // Without this account the first pods of a test would be refused and retried later.
    "kube-controller-manager": () =>
      allSucceed([
        () => healthz(layout.ports.controllerManager),
        () => apiGet(admin, "/api/v1/namespaces/default/serviceaccounts/default"),
      ]),
    "kube-scheduler": () => allSucceed([() => healthz(layout.ports.scheduler)]),
  };
}

async function allSucceed(
  requests: readonly (() => Promise<{ readonly status: number; readonly body: string }>)[],
): Promise<true | string> {
  for (const request of requests) {
    const { status, body } = await request();
    if (status !== 200) return `${status} ${failedChecks(body)}`;
  }
  return true;
}

/** A health endpoint lists dozens of checks, the failed ones behind a `[-]`; only those are shown. */
function failedChecks(body: string): string {
  const failed = body.split("\n").filter((line) => line.startsWith("[-]"));
  return failed.length > 0 ? failed.join(", ") : body.trim().slice(0, 200);
}
