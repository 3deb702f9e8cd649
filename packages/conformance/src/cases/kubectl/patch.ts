import type { CaseGroup } from "../../conformance-case.ts";
import { configMap, type Fields } from "../manifests.ts";
import { session } from "./session.ts";
import { observed, prepared } from "./settling.ts";
import { idlePod, web, webTemplate } from "./web.ts";
import { widget, widgetsAreRemoved, widgetsAreServed } from "./widget.ts";

const settings = prepared("configmaps", configMap("settings"));
const aWeb = [prepared("apps/v1:deployments", web()), observed("apps/v1:deployments/web")];
const patch = (what: string, type: string, body: unknown): string =>
  `patch ${what} --type=${type} -p ${JSON.stringify(body)}`;
const spec = (fields: Fields): Fields => ({ spec: { template: { spec: fields } } });

export const patchCases: CaseGroup = {
  title: "kubectl patch, replace and diff",
  cases: [
    session(
      "patch merges",
      settings,
      patch("configmap settings", "merge", { data: { color: null, size: "big" } }),
      patch("configmap settings", "merge", { data: { color: null, size: "big" } }),
      patch("configmap none", "merge", { data: {} }),
      patch("configmap settings", "merge", { data: { a: 1 } }),
      "patch configmap settings --type=merge -p {",
      "patch configmap settings --type=nonsense -p {}",
      "get configmap settings -o yaml --show-managed-fields",
    ),
    session(
      "patch by operations",
      settings,
      patch("configmap settings", "json", [{ op: "replace", path: "/data/color", value: "red" }]),
      patch("configmap settings", "json", [{ op: "test", path: "/data/color", value: "blue" }]),
      patch("configmap settings", "json", [{ op: "remove", path: "/data/none" }]),
      patch("configmap settings", "json", [{ op: "nonsense", path: "/data" }]),
      patch("configmap settings", "json", [{ op: "add", path: "/data/a~1b", value: "1" }]),
      "get configmap settings -o jsonpath={.data}",
    ),
    session(
      "patch merges lists by their keys",
      ...aWeb,
      patch("deployment web", "strategic", spec({ containers: [{ name: "side", image: "side:1" }] })),
      patch("deployment web", "strategic", spec({ containers: [{ name: "side", $patch: "delete" }] })),
      patch("deployment web", "strategic", spec({ containers: [{ image: "nameless:1" }] })),
      patch("deployment web", "strategic", { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }),
      "get deployment web -o jsonpath={.spec}",
    ),
    session(
      "patch of a subresource",
      ...aWeb,
      prepared("pods", idlePod("idle")),
      patch("pod idle --subresource=status", "merge", { status: { phase: "Failed", message: "broken" } }),
      patch("deployment web --subresource=scale", "merge", { spec: { replicas: 0 } }),
      patch("pod idle --subresource=nothing", "merge", {}),
      "get pod idle",
      "get pod idle -o jsonpath={.status}",
    ),
    session(
      "patch of a custom resource",
      widgetsAreServed,
      ["create -f -", widget("one")],
      patch("widgets.$ns.example.com one", "merge", { spec: { size: 4 } }),
      patch("widgets.$ns.example.com one", "merge", { spec: { size: 0 } }),
      patch("widgets.$ns.example.com one", "merge", { spec: { color: "green" } }),
      patch("widgets.$ns.example.com one", "strategic", { spec: { size: 4 } }),
      patch("widgets.$ns.example.com one --subresource=status", "merge", { status: { phase: "Done" } }),
      "get widgets.$ns.example.com one -o yaml",
      ["apply -f -", widget("one", { size: 9 })],
      ["apply --server-side -f -", widget("one", { size: 0 })],
      widgetsAreRemoved,
    ),
    session(
      "patch with a dry run changes nothing",
      settings,
      patch("configmap settings --dry-run=server", "merge", { data: { color: "red" } }),
      patch("configmap settings --dry-run=client -o yaml", "merge", { data: { color: "red" } }),
      "get configmap settings -o jsonpath={.data}",
    ),
    session(
      "replace puts another in its place",
      settings,
      ["replace -f -", configMap("settings", { data: { size: "big" } })],
      ["replace -f -", configMap("none")],
      ["replace -f -", configMap("settings", { metadata: { resourceVersion: "1" } })],
      ["replace -f - --dry-run=server", configMap("settings")],
      "get configmap settings -o yaml --show-managed-fields",
    ),
    session(
      "replace by force deletes and creates",
      ...aWeb,
      ["replace -f -", web({ selector: { matchLabels: { tier: "x" } } })],
      ["replace --force -f -", web({ paused: true })],
      ["replace --force -f -", configMap("fresh")],
      "get deployment web -o jsonpath={.spec.paused}",
    ),
    session(
      "diff shows what an apply would change",
      ["diff -f -", configMap("settings")],
      ["apply -f -", configMap("settings")],
      ["diff -f -", configMap("settings")],
    ),
    session(
      "diff of a change goes by the program that is given",
      ["apply -f -", web()],
      observed("apps/v1:deployments/web"),
      ["diff -f - --concurrency=1", web({ template: webTemplate({ hostNetwork: true }) })],
      ["diff --server-side -f -", web({ replicas: 3 })],
      ["diff --server-side --field-manager=two -f -", web({ replicas: 3 })],
      ["diff --server-side --force-conflicts -f -", web({ replicas: 3 })],
    ),
  ],
};
