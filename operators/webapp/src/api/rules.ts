import { imageReferencePattern, isPinned, parseImageReference, taggedPattern } from "./image-reference.ts";
import type { WebAppSpec } from "./spec.ts";

/** A rule for every spec. The API server (in CEL) and the webhook check it with the same message. */
export interface SpecRule {
  /** In CEL; `self` is the spec. */
  readonly rule: string;
  /** The field that an error names. */
  readonly field: keyof WebAppSpec;
  readonly message: string;
  /** The same rule in TypeScript. */
  holds(spec: WebAppSpec): boolean;
}

export const maxReplicas = 1000;

/** A Deployment's selector cannot change, and the component is part of it. */
export const componentIsImmutable = "component cannot be changed; delete the WebApp and create it again";

export const specRules: readonly SpecRule[] = [
  {
    rule: `self.image.matches(${celString(imageReferencePattern)})`,
    field: "image",
    message: "image must be a reference such as nginx:1.25 or ghcr.io/acme/shop:1.2",
    holds: ({ image }) => parseImageReference(image) !== undefined,
  },
  {
    rule: `self.allowLatest || self.image.contains('@') || (self.image.matches(${celString(taggedPattern)}) && !self.image.endsWith(':latest'))`,
    field: "image",
    message: "image must carry a tag or digest other than latest, unless allowLatest is true",
    holds: ({ allowLatest, image }) => allowLatest || isPinnedImage(image),
  },
  {
    rule: `self.replicas >= 0 && self.replicas <= ${maxReplicas}`,
    field: "replicas",
    message: `replicas must be from 0 to ${maxReplicas}`,
    holds: ({ replicas }) => replicas >= 0 && replicas <= maxReplicas,
  },
  {
    rule: "!has(self.autoscaling) || self.autoscaling.minReplicas <= self.autoscaling.maxReplicas",
    field: "autoscaling",
    message: "autoscaling: minReplicas must not be greater than maxReplicas",
    holds: ({ autoscaling }) =>
      autoscaling === undefined || autoscaling.minReplicas <= autoscaling.maxReplicas,
  },
];

export const nameRule: { readonly rule: string; readonly message: string; holds(name: string): boolean } = {
  rule: "self.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$')",
  message:
    "the name must be one of a Service: at most 63 lower-case letters, digits and hyphens, a letter first",
  holds: (name) => /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name),
};

function isPinnedImage(image: string): boolean {
  const reference = parseImageReference(image);
  return reference !== undefined && isPinned(reference);
}

/** A raw string literal, in which a backslash is not an escape. */
function celString(text: string): string {
  return `r'${text}'`;
}
