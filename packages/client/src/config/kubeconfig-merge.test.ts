import type { Kubeconfig } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeKubeconfigs, resolvePaths } from "./kubeconfig-merge.ts";

const empty: Kubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "",
  clusters: [],
  users: [],
  contexts: [],
};

describe("merging kubeconfigs", () => {
  it("keeps of each name the first entry, whole", () => {
    const user = (name: string, user: object) => ({ name, user });
    const merged = mergeKubeconfigs([
      { ...empty, users: [user("ann", { token: "1" })] },
      { ...empty, "current-context": "second", users: [user("ann", { tokenFile: "f" }), user("bob", {})] },
      { ...empty, "current-context": "third" },
    ]);
    expect(merged).toEqual({
      ...empty,
      "current-context": "second",
      users: [user("ann", { token: "1" }), user("bob", {})],
    });
  });

  it("gives for every name what a search from the first file on would find", () => {
    const file = fc.uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c"), server: fc.string() }), {
      selector: ({ name }) => name,
    });
    fc.assert(
      fc.property(fc.array(file, { maxLength: 4 }), (files) => {
        const kubeconfigs = files.map((clusters) => ({
          ...empty,
          clusters: clusters.map(({ name, server }) => ({ name, cluster: { server } })),
        }));
        const { clusters } = mergeKubeconfigs(kubeconfigs);
        const all = files.flat();
        expect(clusters.map(({ name }) => name).sort()).toEqual(
          [...new Set(all.map(({ name }) => name))].sort(),
        );
        for (const { name, cluster } of clusters) {
          expect(cluster.server).toBe(all.find((entry) => entry.name === name)?.server);
        }
      }),
    );
  });
});

describe("paths in a kubeconfig", () => {
  it("start at the folder of the file they stand in", () => {
    const kubeconfig: Kubeconfig = {
      ...empty,
      clusters: [{ name: "k", cluster: { server: "", "certificate-authority": "pki/ca.crt" } }],
      users: [
        {
          name: "u",
          user: {
            "client-certificate": "../u.crt",
            "client-key": "/abs/u.key",
            tokenFile: "token",
            exec: { command: "./bin/plugin" },
          },
        },
        { name: "v", user: { exec: { command: "plugin" } } },
      ],
    };
    expect(resolvePaths(kubeconfig, "/etc/kube/config")).toMatchObject({
      clusters: [{ cluster: { "certificate-authority": "/etc/kube/pki/ca.crt" } }],
      users: [
        {
          user: {
            "client-certificate": "/etc/u.crt",
            "client-key": "/abs/u.key",
            tokenFile: "/etc/kube/token",
            exec: { command: "/etc/kube/bin/plugin" },
          },
        },
        { user: { exec: { command: "plugin" } } },
      ],
    });
  });
});
