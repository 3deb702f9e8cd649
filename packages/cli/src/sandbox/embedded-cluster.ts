import { accessFromKubeconfig, createClient, httpTransport, listenHttp, sendPost } from "@keelson/client";
import { readOpenApiDocument } from "@keelson/controlplane";
import { errorCode, KeelsonError, type Kubeconfig, systemClock } from "@keelson/core";
import { startHollowNodes } from "@keelson/hollow";
import { createSandbox, type ServedSandbox, serveSandbox } from "@keelson/sandbox";
import { DataFolderError, PortTakenError } from "./errors.ts";
import { FolderJournal } from "./folder-journal.ts";
import { keptIdentity, newIdentity } from "./kept-identity.ts";
import { writeKubeconfig } from "./write-kubeconfig.ts";

export interface EmbeddedClusterSettings {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Where everything is kept across restarts; undefined: nothing is. */
  readonly data: string | undefined;
  /** Whether each write is on the disk before its response is sent. */
  readonly fsync: boolean;
  /** Whether damaged data is left out; otherwise it is refused. */
  readonly repair: boolean;
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
  /** A kubeconfig with a client certificate of its own. */
  issueKubeconfig(user: string, groups: readonly string[]): Promise<Kubeconfig>;
}

/** Receives what a user must know of a running control plane. */
export interface ClusterReports {
  readonly error: (error: unknown, where: string) => void;
  /** Something about the data that was read, such as what a repair left out. */
  readonly notice: (text: string) => void;
}

/** What is to be done at the end; what came last goes first. */
type Stops = (() => Promise<void> | void)[];

/** Starts the embedded control plane with hollow nodes. When it is disposed of, nothing but the data is left. */
export async function startEmbeddedCluster(
  settings: EmbeddedClusterSettings,
  reports: ClusterReports,
  signal: AbortSignal,
): Promise<EmbeddedCluster> {
  const stops: Stops = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const served = await serveCluster(settings, reports, stops);
    const kubeconfig = await served.kubeconfig();
    const written = await writeKubeconfig(kubeconfig, settings.kubeconfig);
    stops.push(async () => written[Symbol.asyncDispose]());
    const nodeNames = await startNodes(kubeconfig, settings.nodes, stops, signal);
    return {
      ...{ url: served.url, kubeconfigPath: written.path, nodeNames },
      issueKubeconfig: (user, groups) => served.kubeconfig(user, groups),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function serveCluster(
  { host, port, data, fsync, repair, controllers }: EmbeddedClusterSettings,
  reports: ClusterReports,
  stops: Stops,
): Promise<Pick<ServedSandbox, "url" | "kubeconfig">> {
  const journal =
    data === undefined ? undefined : await inFolder(data, () => new FolderJournal(data, { fsync, repair }));
  if (journal !== undefined) stops.push(() => journal[Symbol.dispose]());
  for (const notice of journal?.notices ?? []) reports.notice(notice);
  const isNew = journal?.snapshot === undefined;
  const { authority, tokenSecret } =
    data === undefined ? await newIdentity() : await inFolder(data, () => keptIdentity(data, { isNew }));
  const { pair } = authority;
  const sandbox = await createSandbox({
    ...{ certificates: pair.certificate, authority: pair, tokenSecret },
    ...{ sendPost, controllers, onError: reports.error, openApiDocument: readOpenApiDocument },
    ...(journal !== undefined && { journal }),
  });
  stops.push(() => sandbox.stop());
  const served = await serveSandbox(sandbox, { listen: listenHttp, authority, host, port }).catch(
    (error: unknown) => {
      throw errorCode(error) === undefined ? error : new PortTakenError(host, port, { cause: error });
    },
  );
  stops.push(() => served.close(0));
  return served;
}

/** Throws a DataFolderError if the folder cannot be used. */
async function inFolder<Kept>(folder: string, open: () => Kept | Promise<Kept>): Promise<Kept> {
  try {
    return await open();
  } catch (error) {
    throw error instanceof KeelsonError ? error : new DataFolderError(folder, { cause: error });
  }
}

async function startNodes(
  kubeconfig: Kubeconfig,
  nodes: number,
  stops: Stops,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (nodes === 0) return [];
  const transport = httpTransport(accessFromKubeconfig(kubeconfig, { clock: systemClock, env: {} }));
  stops.push(() => transport.close());
  const client = createClient({ transport });
  // No other program runs these nodes; those that the data folder holds are used again.
  const hollow = await startHollowNodes({ client, nodes, removeNodes: false, signal });
  stops.push(() => hollow.stop());
  return hollow.names;
}
