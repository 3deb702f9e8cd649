import { issueAuthority, issueLeaf } from "./certificate-issuing.ts";
import type { CertificateMaterial } from "./certificate-material.ts";
import type { RotationRules, RotationStep } from "./rotation-plan.ts";

/** What a step of the rotation works with. */
export interface RotationContext {
  /** The name of the authorities. */
  readonly name: string;
  readonly hosts: readonly string[];
  readonly rules: RotationRules;
  readonly nowMs: number;
}

/** Issues a new authority and a new leaf. */
export async function createMaterial({
  name,
  hosts,
  rules,
  nowMs,
}: RotationContext): Promise<CertificateMaterial> {
  const signer = await issueAuthority(name, { nowMs, lifeMs: rules.authorityLifeMs });
  const leaf = await issueLeaf(signer, hosts, { nowMs, lifeMs: rules.leafLifeMs });
  return { signer, next: undefined, previous: undefined, leaf };
}

/** Executes a step and returns the new material. */
export async function takeStep(
  step: Exclude<RotationStep, "none">,
  material: CertificateMaterial,
  context: RotationContext,
): Promise<CertificateMaterial> {
  const { name, hosts, rules, nowMs } = context;
  const leafLife = { nowMs, lifeMs: rules.leafLifeMs };
  switch (step) {
    case "create":
      return createMaterial(context);
    case "introduce": {
      const authority = await issueAuthority(name, { nowMs, lifeMs: rules.authorityLifeMs });
      return { ...material, next: { ...authority, introducedAtMs: nowMs } };
    }
    case "switch": {
      if (material.next === undefined) return material;
      const { introducedAtMs: _, ...signer } = material.next;
      return {
        signer,
        next: undefined,
        previous: { certificate: material.signer.certificate, retiredAtMs: nowMs },
        leaf: await issueLeaf(signer, hosts, leafLife),
      };
    }
    case "retire":
      return { ...material, previous: undefined };
    case "renew":
      return { ...material, leaf: await issueLeaf(material.signer, hosts, leafLife) };
    case "redate":
      return redated(material, nowMs);
  }
}

/** Corrects times in the future, which come from a replica whose clock was ahead, so that the overlap can end. */
function redated(material: CertificateMaterial, nowMs: number): CertificateMaterial {
  const { next, previous } = material;
  return {
    ...material,
    next: next && { ...next, introducedAtMs: Math.min(next.introducedAtMs, nowMs) },
    previous: previous && { ...previous, retiredAtMs: Math.min(previous.retiredAtMs, nowMs) },
  };
}
