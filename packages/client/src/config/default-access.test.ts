import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { selfSigned } from "../../test/support/certificates.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { type DefaultAccessOptions, defaultAccess } from "./default-access.ts";
import { KubeconfigError, KubeconfigNotFoundError, NoClusterConfiguredError } from "./errors.ts";

const podEnv = { KUBERNETES_SERVICE_HOST: "pod", KUBERNETES_SERVICE_PORT: "443" };

async function writeKubeconfig(path: string, server: string): Promise<string> {
  const contexts = `contexts: [{name: c, context: {cluster: k}}, {name: d, context: {cluster: other}}]`;
  const clusters = `clusters: [{name: k, cluster: {server: ${server}}}, {name: other, cluster: {server: https://d}}]`;
  await writeFile(path, `current-context: c\n${contexts}\n${clusters}\n`);
  return path;
}

/** A machine on which every way to a cluster is open. */
async function makeMachine() {
  const home = await tempFolder();
  await mkdir(join(home, ".kube"));
  await writeKubeconfig(join(home, ".kube/config"), "https://home");
  const listed = await writeKubeconfig(join(home, "listed"), "https://listed");
  const given = await writeKubeconfig(join(home, "given"), "https://given");
  const pod = join(home, "pod");
  await mkdir(pod);
  await writeFile(join(pod, "token"), "t");
  await writeFile(join(pod, "ca.crt"), (await selfSigned("ca")).cert);
  const open = async (options: Partial<DefaultAccessOptions>): Promise<string> => {
    const defaults = { clock: new VirtualClock(), env: {}, home, serviceAccountFolder: pod };
    return (await defaultAccess({ ...defaults, ...options })).server;
  };
  return { home, listed, given, open };
}

describe("the default access", () => {
  it("goes from the given kubeconfig over KUBECONFIG and the pod to the home folder", async () => {
    const { listed, given, open } = await makeMachine();
    const all = { ...podEnv, KUBECONFIG: listed };
    expect(await open({ kubeconfigPath: given, env: all })).toBe("https://given");
    expect(await open({ env: all })).toBe("https://listed");
    expect(await open({ env: podEnv })).toBe("https://pod:443");
    expect(await open({ env: {} })).toBe("https://home");
    expect(await open({ env: podEnv, serviceAccountFolder: "/no/such" })).toBe("https://home");
  });

  it("is the pod's where no file of KUBECONFIG is there, and never the home folder's", async () => {
    const { open } = await makeMachine();
    expect(await open({ env: { ...podEnv, KUBECONFIG: "/no/such" } })).toBe("https://pod:443");
    await expect(open({ env: { KUBECONFIG: "/no/such" } })).rejects.toBeInstanceOf(NoClusterConfiguredError);
  });

  it("is of the named context", async () => {
    expect(await (await makeMachine()).open({ contextName: "d" })).toBe("https://d");
  });

  it("is an error if the given kubeconfig is not there", async () => {
    const { open } = await makeMachine();
    await expect(open({ kubeconfigPath: "/no/such" })).rejects.toBeInstanceOf(KubeconfigNotFoundError);
  });

  it("is an error if what is there cannot be used, though there is more to try", async () => {
    const { listed, open } = await makeMachine();
    await writeFile(listed, "users: {");
    await expect(open({ env: { ...podEnv, KUBECONFIG: listed } })).rejects.toBeInstanceOf(KubeconfigError);
  });

  it("says all it has tried if there is nothing", async () => {
    const opening = defaultAccess({ clock: new VirtualClock(), env: {}, home: "/no/home" });
    await expect(opening).rejects.toMatchObject({
      code: "NO_CLUSTER_CONFIGURED",
      tried: [{ source: "in-cluster configuration" }, { source: "kubeconfig" }],
    });
    await expect(opening).rejects.toThrow(
      /find a cluster: none is configured; .*in-cluster.*KUBERNETES_SERVICE_HOST.*no file \/no\/home\/\.kube\/config/s,
    );
  });

  it("throws the signal's reason when it aborts", async () => {
    const { open } = await makeMachine();
    await expect(open({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});
