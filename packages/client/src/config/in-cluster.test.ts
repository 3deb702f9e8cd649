import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { selfSigned } from "../../test/support/certificates.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { InClusterError, NotInClusterError } from "./errors.ts";
import { inClusterAccess } from "./in-cluster.ts";

const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

async function makePod() {
  const folder = await tempFolder();
  const { cert } = await selfSigned("ca");
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await Promise.all([write("token", "one\n"), write("ca.crt", cert), write("namespace", "shop\n")]);
  return { folder, cert: cert.trim(), write };
}

describe("in-cluster configuration", () => {
  it("is the pod's ServiceAccount", async () => {
    const { folder, cert } = await makePod();
    const access = await inClusterAccess({ env, clock: new VirtualClock(), serviceAccountFolder: folder });
    expect(access).toMatchObject({ server: "https://10.0.0.1:443", namespace: "shop" });
    expect(await access.headers()).toEqual({ authorization: "Bearer one" });
    expect(await access.tls()).toEqual({ ca: cert, insecure: false });
  });

  it("puts an IPv6 address into brackets", async () => {
    const { folder } = await makePod();
    const ipv6 = { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" };
    const options = { env: ipv6, clock: new VirtualClock(), serviceAccountFolder: folder };
    expect((await inClusterAccess(options)).server).toBe("https://[fd00::1]:443");
  });

  it("follows the rotation of token and authority, and outlives files that are away for a moment", async () => {
    const { folder, cert, write } = await makePod();
    const clock = new VirtualClock();
    const warnings: string[] = [];
    const onWarning = (message: string): number => warnings.push(message);
    const access = await inClusterAccess({ env, clock, serviceAccountFolder: folder, onWarning });
    const { cert: newCert } = await selfSigned("new ca");
    await write("token", "two");
    await write("ca.crt", newCert);
    expect(await access.headers()).toEqual({ authorization: "Bearer one" });
    expect(await access.tls()).toEqual({ ca: cert, insecure: false });
    await clock.advance(5_000);
    expect(await access.tls()).toEqual({ ca: newCert.trim(), insecure: false });
    await clock.advance(55_000);
    expect(await access.headers()).toEqual({ authorization: "Bearer two" });
    await rm(join(folder, "token"));
    access.refused();
    expect(await access.headers()).toEqual({ authorization: "Bearer two" });
    expect(warnings).toEqual([expect.stringMatching(/token cannot be read \(ENOENT/)]);
  });

  it("keeps its token while the hook for warnings throws", async () => {
    const { folder } = await makePod();
    const onWarning = (): never => {
      throw new Error("the hook is broken");
    };
    const clock = new VirtualClock();
    const access = await inClusterAccess({ env, clock, serviceAccountFolder: folder, onWarning });
    await rm(join(folder, "token"));
    access.refused();
    expect(await access.headers()).toEqual({ authorization: "Bearer one" });
  });

  it("reads the token again after a refusal", async () => {
    const { folder, write } = await makePod();
    const access = await inClusterAccess({ env, clock: new VirtualClock(), serviceAccountFolder: folder });
    await write("token", "two");
    access.refused();
    expect(await access.headers()).toEqual({ authorization: "Bearer two" });
  });

  it("takes the default namespace if the pod does not say", async () => {
    const { folder } = await makePod();
    await rm(join(folder, "namespace"));
    const access = await inClusterAccess({ env, clock: new VirtualClock(), serviceAccountFolder: folder });
    expect(access.namespace).toBe("default");
  });

  it("is refused outside of a cluster", async () => {
    const opening = inClusterAccess({ env: {}, clock: new VirtualClock() });
    await expect(opening).rejects.toBeInstanceOf(NotInClusterError);
    await expect(opening).rejects.toThrow(
      "use in-cluster configuration: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; run in a pod",
    );
  });

  it.each([
    ["token", "", /token is empty/],
    ["ca.crt", "not PEM", /ca\.crt holds no PEM certificate/],
  ])("is refused if %s is %j", async (name, text, problem) => {
    const { folder, write } = await makePod();
    await write(name, text);
    const opening = inClusterAccess({ env, clock: new VirtualClock(), serviceAccountFolder: folder });
    await expect(opening).rejects.toBeInstanceOf(InClusterError);
    await expect(opening).rejects.toThrow(problem);
  });

  it("is refused in a pod without the files, naming the one that is missing", async () => {
    const opening = inClusterAccess({
      env,
      clock: new VirtualClock(),
      serviceAccountFolder: "/no/such/folder",
    });
    await expect(opening).rejects.toThrow(/\/no\/such\/folder\/token cannot be read \(ENOENT/);
  });

  it("throws the signal's reason when it aborts", async () => {
    const { folder } = await makePod();
    const signal = AbortSignal.abort(new Error("enough"));
    const opening = inClusterAccess({ env, clock: new VirtualClock(), serviceAccountFolder: folder, signal });
    await expect(opening).rejects.toThrow("enough");
  });
});
