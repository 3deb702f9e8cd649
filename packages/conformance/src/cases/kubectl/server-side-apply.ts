import type { CaseGroup } from "../../conformance-case.ts";
import { configMap, type Fields } from "../manifests.ts";
import { session } from "./session.ts";
import { web, webTemplate } from "./web.ts";

const settings = (data: Fields): Fields => configMap("settings", { data });
const withImage = (image: string): Fields =>
  web({ template: webTemplate({ containers: [{ name: "main", image }] }) });

export const serverSideApplyCases: CaseGroup = {
  title: "kubectl apply --server-side",
  cases: [
    session(
      "a server-side apply creates and changes",
      ["apply --server-side -f -", settings({ color: "blue" })],
      ["apply --server-side -f -", settings({ color: "blue" })],
      ["apply --server-side -f -", settings({ size: "big" })],
      "get configmap settings -o yaml --show-managed-fields",
    ),
    session(
      "another manager's field is a conflict, unless forced",
      ["apply --server-side --field-manager=one -f -", settings({ color: "blue", size: "big" })],
      ["apply --server-side --field-manager=two -f -", settings({ color: "red" })],
      ["apply --server-side --field-manager=two -f -", settings({ color: "red", size: "small" })],
      ["apply --server-side --field-manager=two --force-conflicts -f -", settings({ color: "red" })],
      "get configmap settings -o yaml --show-managed-fields",
      ["apply --server-side --field-manager=one -f -", settings({ size: "big" })],
    ),
    session(
      "the same value is no conflict and has two owners",
      ["apply --server-side --field-manager=one -f -", settings({ color: "blue" })],
      ["apply --server-side --field-manager=two -f -", settings({ color: "blue" })],
      ["apply --server-side --field-manager=one -f -", settings({})],
      "get configmap settings -o yaml --show-managed-fields",
    ),
    session(
      "a server-side apply takes over from a client-side one",
      ["apply -f -", settings({ color: "blue", size: "big" })],
      ["apply --server-side -f -", settings({ color: "red" })],
      "get configmap settings -o yaml --show-managed-fields",
      ["apply -f -", settings({ color: "green" })],
      "get configmap settings -o yaml --show-managed-fields",
    ),
    session(
      "a conflict with kubectl edit and set names their managers",
      ["apply --server-side -f -", withImage("web:1")],
      "set image deployment/web main=web:2",
      ["apply --server-side -f -", withImage("web:3")],
      ["apply --server-side -f - --force-conflicts", withImage("web:3")],
      "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}",
    ),
    session(
      "a server-side dry run writes nothing",
      ["apply --server-side --dry-run=server -f - -o yaml", settings({ color: "blue" })],
      "get configmap settings",
      ["apply --server-side --dry-run=client -f -", settings({ color: "blue" })],
      ["apply --server-side --force-conflicts --field-manager=x -f - -o json", settings({ color: "blue" })],
    ),
    session(
      "a server-side apply of an unknown field is refused",
      ["apply --server-side -f -", { ...settings({}), colour: "blue" }],
      ["apply --server-side --validate=warn -f -", { ...settings({}), colour: "blue" }],
      ["apply --server-side --validate=ignore -f -", { ...settings({}), colour: "blue" }],
      ["apply --server-side -f -", { ...settings({}), metadata: { name: "Bad_Name" } }],
    ),
    session(
      "scaling makes the scaler own the replicas",
      ["apply --server-side -f -", web()],
      "scale deployment web --replicas=0",
      'get deployment web -o jsonpath={.metadata.managedFields[?(@.subresource=="scale")].manager}',
      ["apply --server-side -f -", web({ replicas: 0 })],
    ),
  ],
};
