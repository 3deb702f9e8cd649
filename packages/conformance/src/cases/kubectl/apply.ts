import type { CaseGroup } from "../../conformance-case.ts";
import { configMap, type Fields, manifest, service } from "../manifests.ts";
import { list, session } from "./session.ts";
import { observed } from "./settling.ts";
import { web, webTemplate } from "./web.ts";

const settings = (data: Fields, metadata: Fields = {}): Fields => configMap("settings", { metadata, data });
const containers = (...given: readonly Fields[]): Fields => ({
  template: webTemplate({ containers: given }),
});
const templateOf = (...given: readonly Fields[]): Fields =>
  manifest("v1", "PodTemplate", "shape", containers(...given));

export const clientApplyCases: CaseGroup = {
  title: "kubectl apply",
  cases: [
    session(
      "apply creates, then finds nothing to do, then changes",
      ["apply -f -", settings({ color: "blue" })],
      ["apply -f -", settings({ color: "blue" })],
      ["apply -f -", settings({ color: "red" })],
      "get configmap settings -o yaml --show-managed-fields",
    ),
    session(
      "apply removes what the last configuration had and this one has not",
      ["apply -f -", settings({ color: "blue", size: "big" }, { labels: { a: "1", b: "2" } })],
      "label configmap settings kept=yes",
      'patch configmap settings --type=merge -p {"data":{"other":"1"}}',
      ["apply -f -", settings({ color: "blue" }, { labels: { a: "1" } })],
      "get configmap settings -o yaml",
    ),
    session(
      "apply merges containers by name",
      ["apply -f -", templateOf({ name: "a", image: "a:1" }, { name: "b", image: "b:1" })],
      [
        "patch podtemplate shape --type=strategic --patch-file=/dev/stdin",
        containers({ name: "side", image: "side:1" }),
      ],
      ["apply -f -", templateOf({ name: "b", image: "b:2" })],
      "get podtemplate shape -o yaml",
    ),
    session(
      "apply merges environment, ports and mounts by their keys",
      [
        "apply -f -",
        templateOf({
          name: "a",
          image: "a:1",
          env: [
            { name: "ONE", value: "1" },
            { name: "TWO", value: "2" },
          ],
          ports: [{ containerPort: 80 }, { containerPort: 443, name: "https" }],
          args: ["x", "y"],
        }),
      ],
      [
        "apply -f -",
        templateOf({
          name: "a",
          image: "a:1",
          env: [
            { name: "TWO", value: "two" },
            { name: "THREE", value: "3" },
          ],
          ports: [{ containerPort: 443, name: "tls" }],
          args: ["y"],
        }),
      ],
      "get podtemplate shape -o jsonpath={.template.spec.containers}",
    ),
    session(
      "apply of an object that was created otherwise warns",
      "create configmap settings --from-literal=color=blue",
      ["apply -f -", settings({ color: "red" })],
      "get configmap settings -o yaml",
    ),
    session(
      "apply keeps the replicas that another has set when it does not name them",
      ["apply -f -", web()],
      "scale deployment web --replicas=0",
      'patch deployment web -p {"spec":{"paused":true}}',
      observed("apps/v1:deployments/web"),
      ["apply -f -", web({ revisionHistoryLimit: 3 })],
      "get deployment web -o jsonpath={.spec}",
    ),
    session(
      "apply of a change that is not allowed fails with the reason",
      ["apply -f -", web()],
      ["apply -f -", web({ selector: { matchLabels: { app: "other" } } })],
    ),
    session(
      "apply takes several objects",
      ["apply -f -", list(settings({ a: "1" }), service("front"), configMap("more"))],
      ["apply -f -", list(settings({ a: "2" }), service("front"), configMap("more"))],
      ["apply -f - -o name", list(settings({ a: "2" }), service("front"))],
    ),
    session(
      "apply with a dry run writes nothing",
      ["apply -f - --dry-run=client", settings({ a: "1" })],
      ["apply -f - --dry-run=server", settings({ a: "1" })],
      ["apply -f - --dry-run=server -o yaml", settings({ a: "1" })],
      "get configmap settings",
      ["apply -f -", settings({ a: "1" })],
      ["apply -f - --dry-run=server", settings({ a: "2" })],
      "get configmap settings -o jsonpath={.data}",
    ),
    session(
      "apply prunes what has the label and is not in the file",
      [
        "apply -f -",
        list(
          settings({}, { labels: { set: "$ns" } }),
          configMap("old", { metadata: { labels: { set: "$ns" } } }),
        ),
      ],
      [
        "apply -f - --prune -l set=$ns --prune-allowlist=core/v1/ConfigMap",
        settings({}, { labels: { set: "$ns" } }),
      ],
      "get configmaps -l set=$ns -o name",
    ),
    session(
      "the last configuration is shown, set and edited",
      ["apply -f -", settings({ a: "1" })],
      "apply view-last-applied configmap/settings",
      "apply view-last-applied configmap/settings -o json",
      ["apply set-last-applied -f -", settings({ a: "2" })],
      ["apply set-last-applied -f -", configMap("none")],
      "apply view-last-applied configmap/settings",
      "apply view-last-applied configmap kube-root-ca.crt",
    ),
    session(
      "apply refuses what it cannot read",
      ["apply -f -", "apiVersion: v1\nkind: ConfigMap\n"],
      ["apply -f -", "apiVersion: v1\nkind: Nothing\nmetadata:\n  name: a\n"],
      ["apply -f -", "apiVersion: v1\nmetadata:\n  name: a\n"],
      ["apply -f -", "a: b: c"],
      ["apply -f -", ""],
      ["apply -f -", { ...settings({}), metadata: { name: "settings", namespace: "elsewhere" } }],
      ["apply -f - --namespace=$ns-none", settings({})],
    ),
    session(
      "apply of a changed Service keeps its address",
      ["apply -f -", service("front", { selector: { app: "web" }, ports: [{ name: "http", port: 80 }] })],
      [
        "apply -f -",
        service("front", {
          selector: { app: "web", tier: "front" },
          ports: [
            { name: "http", port: 80, targetPort: 8080 },
            { name: "https", port: 443 },
          ],
        }),
      ],
      ["apply -f -", service("front", { ports: [{ name: "https", port: 443 }] })],
      "get service front -o jsonpath={.spec}",
    ),
  ],
};
