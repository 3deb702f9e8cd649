import { describe, expect, it } from "vitest";
import { KubeconfigError } from "./errors.ts";
import { readKubeconfigFormat } from "./kubeconfig-format.ts";

const read = (value: unknown) => readKubeconfigFormat(value, "config");

describe("the format of a kubeconfig", () => {
  it("keeps every field that kubectl knows", () => {
    const extensions = [{ name: "tool", extension: { anything: [1] } }];
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      clusters: [
        {
          name: "k",
          cluster: {
            server: "https://k",
            "tls-server-name": "k.local",
            "insecure-skip-tls-verify": false,
            "certificate-authority": "ca.crt",
            "certificate-authority-data": "Y2E=",
            "proxy-url": "http://proxy",
            "disable-compression": true,
            extensions,
          },
        },
      ],
      users: [
        {
          name: "u",
          user: {
            "client-certificate": "a",
            "client-certificate-data": "b",
            "client-key": "c",
            "client-key-data": "d",
            token: "t",
            tokenFile: "f",
            username: "n",
            password: "p",
            as: "bob",
            "as-uid": "1",
            "as-groups": ["g"],
            "as-user-extra": { k: ["v"] },
            "auth-provider": { name: "gcp", config: { k: "v" } },
            exec: {
              command: "plugin",
              args: ["a"],
              env: [{ name: "N", value: "V" }],
              apiVersion: "client.authentication.k8s.io/v1",
              installHint: "hint",
              interactiveMode: "Never",
              provideClusterInfo: true,
            },
            extensions,
          },
        },
      ],
      contexts: [{ name: "c", context: { cluster: "k", user: "u", namespace: "shop", extensions } }],
      extensions,
    };
    expect(read(kubeconfig)).toEqual(kubeconfig);
  });

  it("takes null and empty strings for nothing, and passes over what it does not know", () => {
    const users = [{ name: "u", user: { token: "", "as-groups": null, exec: null, novelty: 1 } }];
    expect(read({ users, clusters: null, preferences: {}, contexts: [{ name: "c" }] })).toEqual({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "",
      clusters: [],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "c", context: { cluster: "", user: "" } }],
    });
  });

  it("is that of an empty kubeconfig for an empty file", () => {
    expect(read(undefined)).toMatchObject({ "current-context": "", clusters: [], users: [], contexts: [] });
  });

  it.each([
    [["a", "b"], "the file must be a mapping, and is a list"],
    ["text", "the file must be a mapping, and is a string"],
    [{ apiVersion: "v2" }, "it is a Config of v2, not a Config of v1"],
    [{ kind: "Pod" }, "it is a Pod of v1, not a Config of v1"],
    [{ users: {} }, "users must be a list, and is a mapping"],
    [{ users: [null] }, "users[0] must be a mapping, and is empty"],
    [{ users: [{ user: { token: 12345678 } }] }, "users[0].user.token must be a string, and is a number"],
    [{ users: [{ user: { "as-groups": [true] } }] }, "as-groups[0] must be a string, and is a boolean"],
    [
      { users: [{ user: { "as-user-extra": { k: "v" } } }] },
      "as-user-extra.k must be a list, and is a string",
    ],
    [
      { clusters: [{ cluster: { "insecure-skip-tls-verify": "true" } }] },
      "clusters[0].cluster.insecure-skip-tls-verify must be true or false, and is a string",
    ],
    [{ contexts: [{ name: "c" }, { name: "c" }] }, "contexts has two entries of the name c"],
  ])("is not that of %j", (value, problem) => {
    expect(() => read(value)).toThrow(KubeconfigError);
    expect(() => read(value)).toThrow(problem);
    expect(() => read(value)).not.toThrow("12345678");
  });
});
