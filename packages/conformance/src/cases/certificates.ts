import { X509Certificate } from "node:crypto";
import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { field, type Stage } from "../stage.ts";
import { type Fields, manifest } from "./manifests.ts";

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const clientSigner = "kubernetes.io/kube-apiserver-client";
const kubeletSigner = "kubernetes.io/kube-apiserver-client-kubelet";
const servingSigner = "kubernetes.io/kubelet-serving";

/** PKCS #10 requests with keys of P-256; their private keys are not kept. */
const encodedRequests = {
  /** O=staff, CN=ann */
  ann: "MIHZMIGAAgEAMB4xDjAMBgNVBAoMBXN0YWZmMQwwCgYDVQQDDANhbm4wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQLshwfuQA61ql5kyc6ZIAgtzCbkYaEgDlI1vowX0VZYZ4017JmZY6ziOPLbnHm1RruxGzm0cxoC2EamQD2cTQLoAAwCgYIKoZIzj0EAwIDSAAwRQIgI8ENWWuXnyE+mPx4A5wZfuemFgMbHUKVw+qPnZsg/04CIQCnlOci6zgbpEdkKurse/IOaO/5eRjlrOJGb+ssYTGdjQ==",
  /** O=system:masters, CN=root */
  root: "MIHiMIGKAgEAMCgxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ0wCwYDVQQDDARyb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEW5CVz2KsJr1iihxMm8BkGisjTK60kk7x6XIodHdosohN4+jP8g6dwf0+GxvZwD2LAm2qRrPEW4O8m46iUNNBi6AAMAoGCCqGSM49BAMCA0cAMEQCIHOny3eDTNkQ/1k1WcXGbQ4miu+Q6LgsaM0RSPktd/zUAiBZ213z5HSzUaaSD0BriEp3tBMzaipru/EcCN6eh2mzKA==",
  /** O=system:nodes, CN=system:node:n1 */
  node: "MIHrMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lzdGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS5AIYvs1uKDNvoEXlfMpFVsATEy7HfSwt4rNyydahJWeJQQjJR6SZipNUJzvqh7raH4qQq78zsuRO+pnl8L8W7oAAwCgYIKoZIzj0EAwIDSAAwRQIgHMCYWk8jgJdiiMrcD2EQ/A8ODyXvY+GNTdf6Kpe5wjwCIQC4ZKLYdAOl4Z6dPm7E2t6Phbup5upNgr4HSJXJuIkQCw==",
  /** The same with the names n1 and 10.0.0.1. */
  serving:
    "MIIBETCBuAIBADAwMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFzAVBgNVBAMMDnN5c3RlbTpub2RlOm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEvLFAK/gUWARCWnmu1FXHyqlKGXhZm2CJIOxq4AGihFqQAynWF2w5LcvgVarW1YlAZfaHAdMF5+wuHGmT0zif46AmMCQGCSqGSIb3DQEJDjEXMBUwEwYDVR0RBAwwCoICbjGHBAoAAAEwCgYIKoZIzj0EAwIDSAAwRQIgUdluo6AVMwo4jvFqrBU/f76qR2m42QhcK8bwq0nuQVwCIQCd+rvLWRDjrxzAM3YD6GsGmzU2v99tduEyHrzyy4Tweg==",
} as const;

type RequestName = keyof typeof encodedRequests;

function pem(label: string, der: string): string {
  const lines = der.match(/.{1,64}/g) ?? [];
  const text = `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
  return Buffer.from(text).toString("base64");
}

/** A request named after the namespace of the case, because requests have none. */
function signingRequest(stage: Stage, subject: RequestName, spec: Fields = {}): Fields {
  return manifest("certificates.k8s.io/v1", "CertificateSigningRequest", stage.namespace, {
    spec: {
      request: pem("CERTIFICATE REQUEST", encodedRequests[subject]),
      signerName: clientSigner,
      usages: ["digital signature", "client auth"],
      ...spec,
    },
  });
}

const pathOf = ({ namespace }: Stage, subresource = ""): string => `${requests}/${namespace}${subresource}`;

/** A case with a request, which is removed at its end. */
function requestCase(
  name: string,
  subject: RequestName,
  spec: Fields,
  run: (stage: Stage) => Promise<void>,
): ConformanceCase {
  return conforms(name, async (stage) => {
    await stage.prepare(requests, signingRequest(stage, subject, spec));
    await run(stage);
    await stage.remove(pathOf(stage));
  });
}

/** One case for each row: the request is created, and the response recorded. */
function refusals(
  ...rows: readonly (readonly [sentence: string, subject: RequestName, spec: Fields])[]
): readonly ConformanceCase[] {
  return rows.map(([sentence, subject, spec]) =>
    conforms(sentence, async (stage) => {
      await stage.create(requests, signingRequest(stage, subject, spec));
    }),
  );
}

const condition = (type: string, status = "True"): Fields => ({ type, status, reason: "Test", message: "m" });

/** Waits for the certificate, and records what it is for. */
async function showCertificate(stage: Stage): Promise<void> {
  const request = await stage.until(
    pathOf(stage),
    (object) => field(object, "status.certificate") !== undefined,
  );
  const text = Buffer.from(String(field(request, "status.certificate")), "base64").toString();
  const certificate = new X509Certificate(text);
  const { subject, subjectAltName, keyUsage, ca, validFromDate, validToDate } = certificate;
  const minutes = Math.round((validToDate.getTime() - validFromDate.getTime()) / 60_000);
  // A long one ends with the certificate of the authority.
  const validMinutes = minutes > 1_000 ? "long" : minutes;
  stage.record("certificate", { subject, subjectAltName, keyUsage, ca, validMinutes });
}

const hasConditions = (object: unknown): boolean => field(object, "status.conditions") !== undefined;

export const certificateCases: CaseGroup = {
  title: "certificate signing requests",
  cases: [
    requestCase("an approved request is signed", "ann", {}, async (stage) => {
      await stage.get(pathOf(stage));
      await stage.kubectl(["get", "csr", stage.namespace]);
      await stage.kubectl(["certificate", "approve", stage.namespace]);
      await showCertificate(stage);
      await stage.get(pathOf(stage));
      await stage.kubectl(["get", "csr", stage.namespace]);
      await stage.kubectl(["describe", "csr", stage.namespace]);
      await stage.kubectl(["certificate", "approve", stage.namespace]);
      await stage.kubectl(["certificate", "deny", stage.namespace]);
    }),
    requestCase("a denied request is not signed", "ann", {}, async (stage) => {
      await stage.kubectl(["certificate", "deny", stage.namespace]);
      await stage.kubectl(["get", "csr", stage.namespace]);
      await stage.get(pathOf(stage));
      await stage.patch(pathOf(stage, "/approval"), { status: { conditions: [condition("Approved")] } });
      await stage.patch(pathOf(stage, "/approval"), {
        status: { conditions: [condition("Denied"), condition("Approved")] },
      });
    }),
    requestCase(
      "a certificate is valid as long as its request says",
      "ann",
      { expirationSeconds: 1200 },
      async (stage) => {
        await stage.kubectl(["get", "csr", stage.namespace]);
        await stage.kubectl(["certificate", "approve", stage.namespace]);
        await showCertificate(stage);
      },
    ),
    requestCase(
      "a request whose usages a signer does not allow fails",
      "ann",
      { usages: ["server auth", "client auth"] },
      async (stage) => {
        await stage.kubectl(["certificate", "approve", stage.namespace]);
        await stage.until(pathOf(stage), (object) => JSON.stringify(object).includes('"Failed"'));
        await stage.get(pathOf(stage));
        await stage.kubectl(["get", "csr", stage.namespace]);
      },
    ),
    requestCase(
      "the request of a kubelet for itself is approved and signed",
      "node",
      { signerName: kubeletSigner },
      async (stage) => {
        await showCertificate(stage);
        await stage.get(pathOf(stage));
      },
    ),
    requestCase(
      "the request of a kubelet for a serving certificate is signed once it is approved",
      "serving",
      { signerName: servingSigner, usages: ["key encipherment", "server auth", "digital signature"] },
      async (stage) => {
        await stage.kubectl(["certificate", "approve", stage.namespace]);
        await showCertificate(stage);
      },
    ),
    requestCase(
      "the request for a serving certificate without names fails",
      "node",
      { signerName: servingSigner, usages: ["server auth", "digital signature"] },
      async (stage) => {
        await stage.kubectl(["certificate", "approve", stage.namespace]);
        await stage.until(pathOf(stage), (object) => JSON.stringify(object).includes('"Failed"'));
        await stage.get(pathOf(stage));
      },
    ),
    requestCase(
      "a request for another signer is left to it",
      "ann",
      { signerName: "example.com/own" },
      async (stage) => {
        await stage.kubectl(["certificate", "approve", stage.namespace]);
        await stage.until(pathOf(stage), hasConditions);
        const certificate = pem("CERTIFICATE", "AAAA");
        await stage.patch(pathOf(stage, "/status"), { status: { certificate: "bm8gUEVN" } });
        await stage.patch(pathOf(stage, "/status"), {
          status: { certificate: pem("CERTIFICATE REQUEST", encodedRequests.ann) },
        });
        await stage.patch(pathOf(stage), { status: { certificate } });
        await stage.patch(pathOf(stage, "/approval"), { status: { certificate } });
        await stage.kubectl(["get", "csr", stage.namespace]);
      },
    ),
    requestCase("the spec of a request does not change", "ann", {}, async (stage) => {
      await stage.patch(pathOf(stage), { spec: { username: "bob", usages: ["any"] } });
      await stage.patch(pathOf(stage, "/status"), { spec: { username: "bob" } });
      await stage.patch(pathOf(stage, "/approval"), { spec: { username: "bob" } });
      await stage.patch(pathOf(stage), { metadata: { labels: { app: "web" } }, status: { conditions: [] } });
    }),
    requestCase("conditions are written where they belong", "ann", {}, async (stage) => {
      await stage.patch(pathOf(stage, "/status"), { status: { conditions: [condition("Approved")] } });
      await stage.patch(pathOf(stage, "/status"), { status: { conditions: [condition("Own", "False")] } });
      await stage.patch(pathOf(stage, "/approval"), {
        status: { conditions: [condition("Approved", "False")] },
      });
      await stage.patch(pathOf(stage, "/approval"), {
        status: { conditions: [condition(""), condition("A", ""), condition("A", "Maybe")] },
      });
      await stage.patch(pathOf(stage, "/status"), { status: { conditions: [condition("Failed")] } });
      await stage.patch(pathOf(stage, "/status"), { status: { conditions: [] } });
    }),
    conforms("a request records its user", async (stage) => {
      const user = `ann-${stage.namespace}`;
      await stage.addUser(user, ["staff", "system:masters"]);
      await stage.create(
        requests,
        signingRequest(stage, "ann", {
          username: "forged",
          uid: "1",
          groups: ["system:masters"],
          extra: { a: ["b"] },
        }),
        { user },
      );
      await stage.remove(pathOf(stage));
    }),
    conforms("approving and signing need permissions for the signer", async (stage) => {
      const user = `bob-${stage.namespace}`;
      await stage.addUser(user);
      await stage.prepare(requests, signingRequest(stage, "ann"));
      const rules = [
        {
          apiGroups: ["certificates.k8s.io"],
          resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
          verbs: ["get", "patch", "update"],
        },
      ];
      const rbac = "rbac.authorization.k8s.io/v1";
      await stage.prepare(
        `/apis/${rbac}/clusterroles`,
        manifest(rbac, "ClusterRole", stage.namespace, { rules }),
      );
      await stage.prepare(
        `/apis/${rbac}/clusterrolebindings`,
        manifest(rbac, "ClusterRoleBinding", stage.namespace, {
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: stage.namespace },
          subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
        }),
      );
      await stage.untilAnswer(
        { method: "GET", path: pathOf(stage, "/status"), user },
        (object) => field(object, "kind") === "CertificateSigningRequest",
      );
      const approval = { status: { conditions: [condition("Approved")] } };
      await stage.patch(pathOf(stage, "/approval"), approval, { user });
      await stage.patch(pathOf(stage, "/status"), { status: { conditions: [condition("Own")] } }, { user });
      await stage.patch(pathOf(stage, "/status"), { metadata: { labels: { a: "b" } } }, { user });
      await stage.remove(`/apis/${rbac}/clusterrolebindings/${stage.namespace}`);
      await stage.remove(`/apis/${rbac}/clusterroles/${stage.namespace}`);
      await stage.remove(pathOf(stage));
    }),
    ...refusals(
      ["a request for system:masters is refused", "root", {}],
      ["a request that is not PEM is refused", "ann", { request: "bm8gUEVN" }],
      [
        "a request with another label is refused",
        "ann",
        { request: pem("CERTIFICATE", encodedRequests.ann) },
      ],
      [
        "a request with a changed signature is refused",
        "ann",
        { request: pem("CERTIFICATE REQUEST", encodedRequests.ann.replace("BXN0YWZm", "BXN0YWZn")) },
      ],
      [
        "a request that is cut off is refused",
        "ann",
        { request: pem("CERTIFICATE REQUEST", encodedRequests.ann.slice(0, 40)) },
      ],
      ["a request without usages is refused", "ann", { usages: [] }],
      ["unknown and repeated usages are refused", "ann", { usages: ["client auth", "tea", "client auth"] }],
      ["a request without a signer is refused", "ann", { signerName: "" }],
      ["a signer without a path is refused", "ann", { signerName: "example.com" }],
      ["a signer whose domain has one part is refused", "ann", { signerName: "example/own" }],
      ["a signer with letters that names do not have is refused", "ann", { signerName: "Exa_m.com/O_wn" }],
      ["the legacy signer is refused", "ann", { signerName: "kubernetes.io/legacy-unknown" }],
      ["a validity of less than ten minutes is refused", "ann", { expirationSeconds: 599 }],
    ),
  ],
};
