import { expect, it } from "vitest";
import { imagePullPolicyOf } from "./image-pull-policy.ts";

const digest = `sha256:${"a".repeat(64)}`;

it.each([
  ["web", "Always"],
  ["web:latest", "Always"],
  [`web:latest@${digest}`, "Always"],
  ["localhost:5000/web", "Always"],
  ["localhost:5000/web:latest", "Always"],
  ["web:1", "IfNotPresent"],
  [`web@${digest}`, "IfNotPresent"],
  [`web:1@${digest}`, "IfNotPresent"],
  ["localhost:5000/acme/web:1", "IfNotPresent"],
  ["latest:1", "IfNotPresent"],
])("the pull policy of image %s is %s, as the server derives it", (image, policy) => {
  expect(imagePullPolicyOf(image)).toBe(policy);
});
