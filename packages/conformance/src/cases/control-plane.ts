import { createPublicKey, verify } from "node:crypto";
import { isRecord } from "@keelson/core";
import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { field, parsed, type Stage } from "../stage.ts";
import { type Fields, manifest } from "./manifests.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A definition in a group of Kubernetes, with an approval or without one. */
function protectedDefinition({ namespace }: Stage, approval: string | undefined): Fields {
  const group = `${namespace}.k8s.io`;
  return manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", `things.${group}`, {
    metadata: { annotations: approval === undefined ? {} : { "api-approved.kubernetes.io": approval } },
    spec: {
      group,
      names: { plural: "things", kind: "Thing" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  });
}

const conformant = "KubernetesAPIApprovalPolicyConformant";

function conditionOf(definition: unknown, wanted: string): Fields | undefined {
  const conditions = field(definition, "status.conditions");
  return Array.isArray(conditions)
    ? conditions.filter(isRecord).find(({ type }) => type === wanted)
    : undefined;
}

function approvalCase(name: string, approval: string, changed: string): ConformanceCase {
  return conforms(name, async (stage) => {
    const created = await stage.prepare(definitions, protectedDefinition(stage, approval));
    const path = `${definitions}/${String(field(created, "metadata.name"))}`;
    const reached = await stage.until(path, (one) => conditionOf(one, conformant) !== undefined);
    stage.record("condition", conditionOf(reached, conformant));
    const { reason } = conditionOf(reached, conformant) ?? {};
    await stage.quietly({
      method: "PATCH",
      path,
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ metadata: { annotations: { "api-approved.kubernetes.io": changed } } }),
    });
    const later = await stage.until(path, (one) => conditionOf(one, conformant)?.reason !== reason);
    stage.record("condition", conditionOf(later, conformant));
    await stage.remove(path);
  });
}

/** Whether a key of the server's set verifies the signature of a token. */
function isVerified(token: string, keys: unknown): boolean {
  const [head = "", claims = "", signature = ""] = token.split(".");
  const id = field(parsed(Buffer.from(head, "base64url").toString()), "kid");
  const list = field(keys, "keys");
  const found = Array.isArray(list) ? list.filter(isRecord).find(({ kid }) => kid === id) : undefined;
  if (found === undefined) return false;
  const key = createPublicKey({ key: found, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  return verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"));
}

export const controlPlaneCases: CaseGroup = {
  title: "the control plane itself",
  cases: [
    conforms("the issuer of tokens describes itself", async (stage) => {
      await stage.get("/.well-known/openid-configuration");
      await stage.get("/.well-known/openid-configuration", { user: "anonymous" });
      await stage.get("/openid/v1/jwks", { user: "anonymous" });
    }),
    conforms("the published key verifies tokens of ServiceAccounts", async (stage) => {
      const accept = "application/jwk-set+json";
      const { status, headers, text } = await stage.look({
        method: "GET",
        path: "/openid/v1/jwks",
        headers: { accept },
      });
      await stage.get("/openid/v1/jwks");
      await stage.get("/.well-known/openid-configuration", { headers: { accept } });
      const keys = parsed(text);
      const [key] = Object.values(isRecord(keys) && Array.isArray(keys.keys) ? keys.keys : []);
      const { stdout } = await stage.kubectl(["create", "token", "default"]);
      stage.record("keys", {
        status,
        type: headers["content-type"],
        fields: isRecord(key) ? Object.keys(key).toSorted() : [],
        kinds: ["use", "kty", "crv", "alg"].map((name) => field(key, name)),
        isVerified: isVerified(stdout.trim(), keys),
      });
    }),
    conforms("the components of the control plane report their health", async (stage) => {
      await stage.get("/api/v1/componentstatuses/etcd-0");
      await stage.kubectl("get componentstatus etcd-0");
      await stage.get("/api/v1/componentstatuses/none");
      const list = await stage.look({ method: "GET", path: "/api/v1/componentstatuses" });
      const items = field(parsed(list.text), "items");
      const names = Array.isArray(items) ? items.map((item) => String(field(item, "metadata.name"))) : [];
      stage.record("components", names.toSorted());
    }),
    conforms("other servers can read which client certificates to trust", async (stage) => {
      const path = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
      const found = await stage.until(path, (object) => field(object, "kind") === "ConfigMap");
      const data = field(found, "data");
      stage.record("client-ca-file", isRecord(data) ? data["client-ca-file"] : undefined);
    }),
    approvalCase(
      "an approved definition of Kubernetes conforms to its policy",
      "https://github.com/kubernetes/enhancements/pull/1",
      "unapproved, a test",
    ),
    approvalCase(
      "an unapproved definition of Kubernetes does not conform to its policy",
      "unapproved, a test",
      "https://github.com/kubernetes/enhancements/pull/2",
    ),
    conforms("a definition of Kubernetes without an approval is refused", async (stage) => {
      await stage.create(definitions, protectedDefinition(stage, undefined));
      await stage.create(definitions, protectedDefinition(stage, "yes"));
    }),
  ],
};
