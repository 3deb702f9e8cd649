import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  bundleOf,
  type CertificateMaterial,
  materialFromData,
  materialToData,
  stateOf,
} from "./certificate-material.ts";
import { createMaterial, type RotationContext, takeStep } from "./certificate-rotation.ts";
import { InvalidCertificateError } from "./errors.ts";
import { defaultRotationRules, planRotation } from "./rotation-plan.ts";

const nowMs = Date.UTC(2026, 0, 1);
const day = 86_400_000;
const hosts = ["hook.ns.svc", "127.0.0.1"];
const context: RotationContext = { name: "hook", hosts, rules: defaultRotationRules, nowMs };

const authoritiesIn = (bundle: string): readonly X509Certificate[] =>
  bundle.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem) => new X509Certificate(pem));
const isTrusted = (leaf: string, bundle: string): boolean =>
  authoritiesIn(bundle).some((authority) => {
    const certificate = new X509Certificate(leaf);
    return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
const throughSecret = (material: CertificateMaterial): CertificateMaterial =>
  materialFromData("it", materialToData(material));

describe("material", () => {
  it("[WH9] is an authority, and a certificate signed by it for the hosts", async () => {
    const material = await createMaterial(context);
    const state = stateOf(material);
    expect(state.leaf.hosts).toEqual(hosts);
    expect(state.leaf.notAfterMs).toBe(nowMs + 90 * day);
    expect(state.signer.notAfterMs).toBe(nowMs + 365 * day);
    const leaf = new X509Certificate(material.leaf.certificate);
    expect(leaf.checkHost("hook.ns.svc")).toBe("hook.ns.svc");
    expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(leaf.ca).toBe(false);
    const authority = new X509Certificate(material.signer.certificate);
    expect(authority.ca).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(isTrusted(material.leaf.certificate, bundleOf(material))).toBe(true);
  });

  it("[WH9] is trusted through a whole change of authority, old leaf or new", async () => {
    const before = await createMaterial(context);
    const introduced = throughSecret(
      await takeStep("introduce", before, { ...context, nowMs: nowMs + 250 * day }),
    );
    expect(introduced.leaf).toEqual(before.leaf);
    expect(authoritiesIn(bundleOf(introduced))).toHaveLength(2);
    const switched = throughSecret(
      await takeStep("switch", introduced, { ...context, nowMs: nowMs + 251 * day }),
    );
    expect(isTrusted(switched.leaf.certificate, bundleOf(introduced))).toBe(true);
    expect(isTrusted(switched.leaf.certificate, bundleOf(before))).toBe(false);
    expect(isTrusted(before.leaf.certificate, bundleOf(switched))).toBe(true);
    expect(bundleOf(switched)).toBe(bundleOf(introduced));
    expect(stateOf(switched).previous).toEqual({ retiredAtMs: nowMs + 251 * day });
    const retired = throughSecret(
      await takeStep("retire", switched, { ...context, nowMs: nowMs + 252 * day }),
    );
    expect(authoritiesIn(bundleOf(retired))).toHaveLength(1);
    expect(isTrusted(retired.leaf.certificate, bundleOf(retired))).toBe(true);
  });

  it.each([["::1"], ["fe80::A"], ["::ffff:10.0.0.1"], ["2001:db8::7"]])(
    "[WH9] is not renewed when it was issued just now, for %s",
    async (host) => {
      const material = throughSecret(await createMaterial({ ...context, hosts: [host] }));
      expect(new X509Certificate(material.leaf.certificate).checkIP(host)).toBe(host);
      expect(planRotation(stateOf(material), { ...defaultRotationRules, hosts: [host] }, nowMs)).toBe("none");
    },
  );

  it("[WH9] from a clock slightly ahead is used, and from one far ahead is issued again", async () => {
    const rules = { ...defaultRotationRules, hosts };
    const made = async (aheadMs: number) =>
      stateOf(await createMaterial({ ...context, nowMs: nowMs + aheadMs }));
    expect(planRotation(await made(3_500_000), rules, nowMs)).toBe("none");
    expect(planRotation(await made(3_700_000), rules, nowMs)).toBe("create");
  });

  it("[WH9] starts an overlap now whose start is in the future, and no other", async () => {
    const before = await createMaterial(context);
    const certificate = before.signer.certificate;
    const material: CertificateMaterial = {
      ...before,
      next: { ...before.signer, introducedAtMs: nowMs + day },
      previous: { certificate, retiredAtMs: nowMs - day },
    };
    const after = throughSecret(await takeStep("redate", material, context));
    expect(after).toEqual({ ...material, next: { ...before.signer, introducedAtMs: nowMs } });
    const later = { ...material, previous: { certificate, retiredAtMs: nowMs + 2 * day } };
    expect((await takeStep("redate", later, context)).previous?.retiredAtMs).toBe(nowMs);
  });

  it("gets a leaf with a new key, signed by the same authority and not valid longer than it", async () => {
    const before = await createMaterial(context);
    const after = throughSecret(await takeStep("renew", before, { ...context, nowMs: nowMs + 300 * day }));
    expect(after.signer).toEqual(before.signer);
    expect(after.leaf.key).not.toBe(before.leaf.key);
    expect(stateOf(after).leaf.notAfterMs).toBe(nowMs + 365 * day);
  });

  it.each<[string, (data: Record<string, string>, other: Record<string, string>) => Record<string, string>]>([
    ["nothing", () => ({})],
    ["no list of authorities", ({ "authorities.json": _, ...rest }) => rest],
    [
      "another leaf",
      (data, other) => ({ ...data, "tls.crt": other["tls.crt"] ?? "", "tls.key": other["tls.key"] ?? "" }),
    ],
    ["another key", (data, other) => ({ ...data, "tls.key": other["tls.key"] ?? "" })],
    ["another authority's key", (data, other) => ({ ...data, "ca.key": other["ca.key"] ?? "" })],
    [
      "half a list",
      (data) => ({ ...data, "authorities.json": Buffer.from('{"signer":"x').toString("base64") }),
    ],
    [
      "a strange list",
      (data) => ({ ...data, "authorities.json": Buffer.from('{"signer":"x","next":{}}').toString("base64") }),
    ],
  ])("is not read from a Secret that holds %s", async (_, spoil) => {
    const data = { ...materialToData(await createMaterial(context)) };
    const other = { ...materialToData(await createMaterial(context)) };
    expect(() => materialFromData("it", spoil(data, other))).toThrow(InvalidCertificateError);
  });
});
