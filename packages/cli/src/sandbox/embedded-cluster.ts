import { writeFile } from "node:fs/promises";
import { accessFromKubeconfig, createClient, httpTransport, listenHttp, sendPost } from "@keelson/client";
import { openKubectl } from "@keelson/controlplane";
import { isRecord, type Kubeconfig, systemClock } from "@keelson/core";
import { startHollowNodes } from "@keelson/hollow";
import { createSandbox, serveSandbox } from "@keelson/sandbox";
import { PortTakenError } from "./errors.ts";
import { FolderJournal } from "./folder-journal.ts";
import { keptIdentity, newIdentity } from "./kept-identity.ts";

export interface EmbeddedClusterSettings {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Where everything is kept across restarts; undefined: nothing is. */
  readonly data: string | undefined;
  /** Where the administrator's kubeconfig is written; undefined: to a file that goes with the process. */
  readonly kubeconfig: string | undefined;
  /** How many hollow nodes there are. */
  readonly nodes: number;
  readonly controllers: boolean;
}

export interface EmbeddedCluster extends AsyncDisposable {
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly nodeNames: readonly string[];
}

/** Starts the embedded control plane with hollow nodes. When it is disposed of, nothing but the data is left. */
export async function startEmbeddedCluster(
  settings: EmbeddedClusterSettings,
  onError: (error: unknown, where: string) => void,
  signal: AbortSignal,
): Promise<EmbeddedCluster> {
  const { host, port, data, nodes, controllers } = settings;
  await using resources = new AsyncDisposableStack();
  const journal = data === undefined ? undefined : resources.use(new FolderJournal(data));
  const { authority, tokenSecret } = data === undefined ? await newIdentity() : await keptIdentity(data);
  const certificates = authority.pair.certificate;
  const sandbox = resources.use(
    await createSandbox({
      ...{ certificates, tokenSecret, sendPost, controllers, onError },
      ...(journal !== undefined && { journal }),
    }),
  );
  const served = await serveSandbox(sandbox, { listen: listenHttp, authority, host, port }).catch(
    (error: unknown) => {
      throw isRecord(error) && error.code === "EADDRINUSE" ? new PortTakenError(host, port) : error;
    },
  );
  resources.defer(() => served.close(0));
  const kubeconfig = await served.kubeconfig();
  const kubeconfigPath = await writeKubeconfig(kubeconfig, settings.kubeconfig, resources);
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  resources.defer(() => transport.close());
  const client = createClient({ transport });
  // Nobody but us runs them; what is kept of them is taken up again.
  const hollow =
    nodes === 0
      ? undefined
      : resources.use(await startHollowNodes({ client, nodes, removeNodes: false, signal }));
  const whole = resources.move();
  return {
    url: served.url,
    kubeconfigPath,
    nodeNames: hollow?.names ?? [],
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

async function writeKubeconfig(
  kubeconfig: Kubeconfig,
  path: string | undefined,
  resources: AsyncDisposableStack,
): Promise<string> {
  if (path === undefined)
    return (await resources.use(await openKubectl(kubeconfig)).keep(kubeconfig)).kubeconfigPath;
  // Only the owner may read it: it holds a private key.
  await writeFile(path, `${JSON.stringify(kubeconfig, undefined, 2)}\n`, { mode: 0o600 });
  return path;
}
