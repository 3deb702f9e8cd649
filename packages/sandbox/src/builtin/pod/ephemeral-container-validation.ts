import type { PodSpec } from "@keelson/core/kinds/core/v1";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
} from "../../status/field-problem.ts";
import type { Given } from "../given.ts";
import { containerProblems } from "./container-validation.ts";
import type { CheckedVolumes } from "./volume-validation.ts";

/** What others may have and ephemeral containers may not: nothing may rely on them. */
const forbidden = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;
const never = "cannot be set for an Ephemeral Container";

export function ephemeralContainersProblems(
  { containers = [], initContainers = [], ephemeralContainers = [] }: Given<PodSpec>,
  volumes: CheckedVolumes["byName"],
  field: string,
): readonly FieldProblem[] {
  const others = new Set([...containers, ...initContainers].map(({ name = "" }) => name));
  const names = new Set(others);
  const problems: FieldProblem[] = [];
  for (const [index, container] of ephemeralContainers.entries()) {
    const place = indexed(field, index);
    const { name = "", image = "", targetContainerName: target = "", volumeMounts = [] } = container;
    problems.push(...containerProblems(container, volumes, place));
    problems.push(...paddedImageProblems(image, `${place}.image`));
    if (names.has(name)) problems.push(duplicateValue(`${place}.name`, name));
    names.add(name);
    if (target !== "" && !others.has(target)) {
      const targetField = `${place}.targetContainerName`;
      problems.push({ type: "FieldValueNotFound", field: targetField, value: target, detail: "" });
    }
    for (const part of forbidden) {
      if (isGiven(container[part])) problems.push(forbiddenField(`${place}.${part}`, never));
    }
    for (const [position, mount] of volumeMounts.entries()) {
      const mountField = indexed(`${place}.volumeMounts`, position);
      if (mount.subPath) problems.push(forbiddenField(`${mountField}.subPath`, never));
      if (mount.subPathExpr) problems.push(forbiddenField(`${mountField}.subPathExpr`, never));
    }
  }
  return problems;
}

/** Resources are always there, but may say nothing. */
function isGiven(part: object | string | undefined): boolean {
  return part !== undefined && (typeof part === "string" || Object.keys(part).length > 0);
}

/** What only pods are asked, not their templates. */
export function paddedImageProblems(image: string, field: string): readonly FieldProblem[] {
  return image === image.trim()
    ? []
    : [invalidValue(field, image, "must not have leading or trailing whitespace")];
}
