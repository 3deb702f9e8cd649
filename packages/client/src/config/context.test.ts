import type { Kubeconfig } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { findContext } from "./context.ts";
import { KubeconfigError } from "./errors.ts";

const kubeconfig: Kubeconfig = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "dev",
  clusters: [{ name: "k", cluster: { server: "https://k" } }],
  users: [{ name: "ann", user: { token: "t" } }],
  contexts: [
    { name: "dev", context: { cluster: "k", user: "ann", namespace: "shop" } },
    { name: "anonymous", context: { cluster: "k", user: "" } },
    { name: "aimless", context: { cluster: "", user: "ann" } },
    { name: "lost", context: { cluster: "gone", user: "ann" } },
    { name: "orphan", context: { cluster: "k", user: "bob" } },
  ],
};

describe("a context", () => {
  it("is the current one unless another is named", () => {
    expect(findContext(kubeconfig, {})).toMatchObject({
      contextName: "dev",
      cluster: { server: "https://k" },
      userName: "ann",
      user: { token: "t" },
      namespace: "shop",
    });
    expect(findContext(kubeconfig, { contextName: "anonymous" })).toMatchObject({
      user: {},
      namespace: "default",
    });
  });

  it.each([
    ["prod", "use context prod of kubeconfig f: there is no such context; its contexts are dev, anonymous"],
    ["aimless", "use context aimless of kubeconfig f: it names no cluster; its clusters are k"],
    ["lost", "use context lost of kubeconfig f: there is no cluster gone; its clusters are k"],
    ["orphan", "use context orphan of kubeconfig f: there is no user bob; its users are ann"],
    [
      "",
      "read kubeconfig f: no context is chosen; set current-context or name a context; its contexts are dev",
    ],
  ])("of the name %j is refused with what there is instead", (contextName, message) => {
    expect(() => findContext(kubeconfig, { contextName, file: "f" })).toThrow(message);
  });

  it("carries file and context in its error", () => {
    const find = () => findContext({ ...kubeconfig, contexts: [] }, { contextName: "x" });
    expect(find).toThrow(KubeconfigError);
    expect(find).toThrow("use context x of kubeconfig: there is no such context; it has no contexts");
    expect(find).toThrow(
      expect.objectContaining({ code: "INVALID_KUBECONFIG", context: "x", file: undefined }),
    );
  });
});
