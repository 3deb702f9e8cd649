import { type ServiceRequest, seededRandom } from "@keelson/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admissionWorld } from "../../test/support/admission-world.ts";
import { createAuthenticator } from "./authenticator.ts";
import { newSecret, signToken, tokenKeyOf, unverifiedClaims } from "./json-web-token.ts";
import { createServiceAccountTokens, defaultIssuer } from "./service-account-tokens.ts";

function world() {
  const { put, read, clock, store } = admissionWorld();
  put("serviceaccounts", { metadata: { name: "builder", namespace: "shop", uid: "sa-1" } });
  const random = seededRandom(7);
  const key = tokenKeyOf(newSecret(random));
  const tokens = createServiceAccountTokens({ key: () => key, read, clock, random });
  const table = new Map([["secret", { username: "alice", groups: ["dev"] }]]);
  const authenticator = createAuthenticator({ tokens: table, serviceAccountTokens: tokens });
  const issue = (more: object = {}): string =>
    tokens.issue({
      namespace: "shop",
      serviceAccount: { name: "builder", uid: "sa-1" },
      audiences: [],
      expirationSeconds: 3600,
      ...more,
    }).token;
  const remove = (collection: string, name: string): void => {
    const object = store.get(collection, name);
    const expectedRevision = Number(object?.metadata.resourceVersion);
    store.write({ collection, key: name, object: undefined, expectedRevision });
  };
  return { put, clock, key, tokens, issue, remove, ...authenticator };
}

function request(
  headers: Readonly<Record<string, string>>,
  more: Partial<ServiceRequest> = {},
): ServiceRequest {
  const body = (async function* () {})();
  return { method: "GET", path: "/", headers, body, signal: new AbortController().signal, ...more };
}

const bearer = (token: string): ServiceRequest => request({ authorization: `Bearer ${token}` });

describe("an authenticator", () => {
  it("authenticates a request without credentials as anonymous", () => {
    const { authenticate } = world();
    const anonymous = { username: "system:anonymous", groups: ["system:unauthenticated"] };
    expect(authenticate(request({}))).toEqual(anonymous);
    expect(authenticate(request({ authorization: "Basic abc" }))).toEqual(anonymous);
  });

  it("authenticates the users of its table and refuses other tokens", () => {
    const { authenticate } = world();
    expect(authenticate(bearer("secret"))).toEqual({
      username: "alice",
      groups: ["dev", "system:authenticated"],
    });
    expect(authenticate(bearer("wrong"))).toBeUndefined();
  });

  it("accepts tokens of its table for the audience of the server", () => {
    const { authenticateToken } = world();
    expect(authenticateToken("secret", [])?.audiences).toEqual([defaultIssuer]);
    expect(authenticateToken("secret", ["vault"])).toBeUndefined();
  });

  it("authenticates by client certificate before anything else", () => {
    const { authenticate } = world();
    const clientCertificate = { commonName: "ann", organizations: ["ops"], fingerprint: "ab" };
    expect(authenticate(request({ authorization: "Bearer wrong" }, { clientCertificate }))).toEqual({
      username: "ann",
      groups: ["ops", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=ab"] },
    });
  });

  it("refuses a client certificate that is not verified, unless there is a token", () => {
    const { authenticate } = world();
    const unverified = { hasUnverifiedCertificate: true };
    expect(authenticate(request({}, unverified))).toBeUndefined();
    expect(authenticate(request({ authorization: "Bearer secret" }, unverified))?.username).toBe("alice");
  });

  it("never fails on anything that is sent as a token", () => {
    const { authenticate } = world();
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.base64String(), fc.base64String()).map((parts) => `${parts.join(".")}.x`),
        ),
        (token) => {
          expect(authenticate(bearer(token))?.username ?? "system:anonymous").toBe("system:anonymous");
        },
      ),
    );
  });
});

describe("a token of a ServiceAccount", () => {
  it("names the account, its groups and itself", () => {
    const { authenticate, issue } = world();
    const token = issue();
    const claims = unverifiedClaims(token);
    expect(claims).toMatchObject({
      aud: [defaultIssuer],
      iss: defaultIssuer,
      sub: "system:serviceaccount:shop:builder",
      "kubernetes.io": { namespace: "shop", serviceaccount: { name: "builder", uid: "sa-1" } },
    });
    expect(authenticate(bearer(token))).toEqual({
      username: "system:serviceaccount:shop:builder",
      uid: "sa-1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [`JTI=${claims?.jti}`] },
    });
  });

  it("expires, with a leeway of a minute", async () => {
    const { authenticate, issue, clock, tokenProblem } = world();
    const token = issue();
    await clock.advance(3_600_000);
    expect(authenticate(bearer(token))).toBeDefined();
    await clock.advance(61_000);
    expect(authenticate(bearer(token))).toBeUndefined();
    expect(tokenProblem(token, [])).toBe("[invalid bearer token, service account token has expired]");
  });

  it("ends with its account, and does not come back with another of the name", () => {
    const { put, authenticate, issue, remove, tokenProblem } = world();
    const token = issue();
    remove("serviceaccounts", "shop/builder");
    expect(authenticate(bearer(token))).toBeUndefined();
    expect(tokenProblem(token, [])).toBe('[invalid bearer token, serviceaccounts "builder" not found]');
    put("serviceaccounts", { metadata: { name: "builder", namespace: "shop", uid: "sa-2" } });
    expect(tokenProblem(token, [])).toBe(
      "[invalid bearer token, service account UID (sa-2) does not match claim (sa-1)]",
    );
  });

  it("has its bound pod and the node of the pod, and is invalid after the pod is deleted", () => {
    const { put, authenticate, issue, remove, tokenProblem } = world();
    put("nodes", { metadata: { name: "n1", uid: "node-1" } });
    put("pods", { metadata: { name: "p", namespace: "shop", uid: "pod-1" }, spec: { nodeName: "n1" } });
    const token = issue({ boundObject: { kind: "Pod", apiVersion: "v1", name: "p", uid: "pod-1" } });
    expect(authenticate(bearer(token))?.extra).toMatchObject({
      "authentication.kubernetes.io/node-name": ["n1"],
      "authentication.kubernetes.io/node-uid": ["node-1"],
      "authentication.kubernetes.io/pod-name": ["p"],
      "authentication.kubernetes.io/pod-uid": ["pod-1"],
    });
    remove("pods", "shop/p");
    expect(authenticate(bearer(token))).toBeUndefined();
    expect(tokenProblem(token, [])).toBe(
      "[invalid bearer token, service account token has been invalidated]",
    );
  });

  it("lives for a year if a kubelet requested it", () => {
    const { put, tokens } = world();
    put("pods", { metadata: { name: "p", namespace: "shop", uid: "pod-1" } });
    const { token, expirationTimestamp } = tokens.issue({
      namespace: "shop",
      serviceAccount: { name: "builder", uid: "sa-1" },
      audiences: [],
      expirationSeconds: 3607,
      boundObject: { kind: "Pod", apiVersion: "v1", name: "p", uid: "pod-1" },
    });
    expect(expirationTimestamp).toBe("2030-01-01T01:00:07Z");
    expect(unverifiedClaims(token)?.exp).toBe(Date.UTC(2031, 0, 1) / 1000);
  });

  it("is valid only for its audiences", () => {
    const { authenticate, authenticateToken, issue, tokenProblem } = world();
    const token = issue({ audiences: ["vault", "other"] });
    expect(authenticate(bearer(token))).toBeUndefined();
    expect(authenticateToken(token, ["x", "vault"])?.audiences).toEqual(["vault"]);
    expect(tokenProblem(token, ["x"])).toBe(
      '[invalid bearer token, token audiences ["vault" "other"] is invalid for the target audiences ["x"]]',
    );
  });

  it("counts only with the signature of this server", () => {
    const { authenticate, issue, tokenProblem } = world();
    const other = tokenKeyOf(newSecret(seededRandom(8)));
    const token = issue();
    const forged = signToken(other, unverifiedClaims(token) ?? {});
    expect(authenticate(bearer(forged))).toBeUndefined();
    expect(authenticate(bearer(`${token}x`))).toBeUndefined();
    expect(tokenProblem(forged, [])).toBe(
      "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]",
    );
    expect(tokenProblem("abc", [])).toBe("invalid bearer token");
  });

  it("may be kept in a Secret, and then holds as long as that", () => {
    const { put, tokens, authenticate, remove } = world();
    const serviceAccount = { name: "builder", uid: "sa-1" };
    const token = tokens.issueLegacy({ namespace: "shop", serviceAccount, secretName: "kept" });
    expect(authenticate(bearer(token))).toBeUndefined();
    const data = { token: Buffer.from(token).toString("base64") };
    put("secrets", { metadata: { name: "kept", namespace: "shop" }, data });
    expect(authenticate(bearer(token))).toMatchObject({
      username: "system:serviceaccount:shop:builder",
      uid: "sa-1",
    });
    remove("secrets", "shop/kept");
    expect(authenticate(bearer(token))).toBeUndefined();
  });
});
