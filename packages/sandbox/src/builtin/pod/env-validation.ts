import type {
  EnvFromSource,
  EnvVar,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "@keelson/core/kinds/core/v1";
import {
  configKeyProblems,
  environmentNameProblems,
  qualifiedNameProblems,
} from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { dnsSubdomain, requiredText, textOf } from "../value-problems.ts";

export function environmentProblems(
  variables: readonly Given<EnvVar>[] | undefined,
  field: string,
): readonly FieldProblem[] {
  if (variables === undefined) return [];
  return variables.flatMap((variable, index) => variableProblems(variable, indexed(field, index)));
}

function variableProblems(variable: Given<EnvVar>, field: string): readonly FieldProblem[] {
  const problems = requiredText(variable.name, `${field}.name`, environmentName);
  return variable.valueFrom === undefined
    ? problems
    : [...problems, ...valueFromProblems(variable, `${field}.valueFrom`)];
}

function valueFromProblems(
  { value = "", valueFrom = {} }: Given<EnvVar>,
  field: string,
): readonly FieldProblem[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const problems: FieldProblem[] = [];
  if (fieldRef !== undefined) {
    problems.push(...fieldRefProblems(fieldRef, fieldPaths, `${field}.fieldRef`));
  }
  if (resourceFieldRef !== undefined) {
    problems.push(...resourceRefProblems(resourceFieldRef, `${field}.resourceFieldRef`));
  }
  if (configMapKeyRef !== undefined) {
    problems.push(...keyRefProblems(configMapKeyRef, `${field}.configMapKeyRef`));
  }
  if (secretKeyRef !== undefined) problems.push(...keyRefProblems(secretKeyRef, `${field}.secretKeyRef`));
  const given = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef];
  const count = given.filter((source) => source !== undefined).length;
  if (count === 0) {
    const detail =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    problems.push(invalidValue(field, "", detail));
  } else if (value !== "") {
    problems.push(invalidValue(field, "", "may not be specified when `value` is not empty"));
  } else if (count > 1) {
    problems.push(invalidValue(field, "", "may not have more than one field specified at a time"));
  }
  return problems;
}

const fieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** Those that the server knows, of which variables and files may have some each. */
const knownFieldPaths = [...fieldPaths, "metadata.annotations", "metadata.labels"];

/** A field of the pod, one of the `allowed`. */
export function fieldRefProblems(
  { apiVersion = "", fieldPath = "" }: Given<ObjectFieldSelector>,
  allowed: readonly string[],
  field: string,
): readonly FieldProblem[] {
  if (apiVersion === "") return [required(`${field}.apiVersion`)];
  if (fieldPath === "") return [required(`${field}.fieldPath`)];
  if (apiVersion !== "v1") {
    const detail = `error converting fieldPath: unsupported pod version: ${apiVersion}`;
    return [invalidValue(`${field}.fieldPath`, fieldPath, detail)];
  }
  const [, map, key] = /^(.*)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (map !== undefined && key !== undefined) {
    if (map === "metadata.annotations") return mapKeyProblems(key.toLowerCase(), field);
    if (map === "metadata.labels") return mapKeyProblems(key, field);
    const detail = `error converting fieldPath: field label does not support subscript: ${fieldPath}`;
    return [invalidValue(`${field}.fieldPath`, fieldPath, detail)];
  }
  if (allowed.includes(fieldPath)) return [];
  return knownFieldPaths.includes(fieldPath)
    ? [notSupported(`${field}.fieldPath`, fieldPath, allowed)]
    : [unknownFieldPath(fieldPath, field)];
}

function mapKeyProblems(key: string, field: string): readonly FieldProblem[] {
  return qualifiedNameProblems(key).map((detail) => invalidValue(field, key, detail));
}

function unknownFieldPath(fieldPath: string, field: string): FieldProblem {
  const detail = `error converting fieldPath: field label not supported: ${fieldPath}`;
  return invalidValue(`${field}.fieldPath`, fieldPath, detail);
}

const resourcePaths = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

/** A request or limit of a container. */
export function resourceRefProblems(
  { resource = "", divisor }: Given<ResourceFieldSelector>,
  field: string,
): readonly FieldProblem[] {
  if (resource === "") return [required(`${field}.resource`)];
  if (!resourcePaths.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource)) {
    return [notSupported(`${field}.resource`, resource, resourcePaths)];
  }
  const name = resource.slice(resource.indexOf(".") + 1);
  const [divisors, shownName] =
    name === "cpu" ? [["1m", "1"], name] : [sizeDivisors, sizeNames[name] ?? "hugepages"];
  if (divisor === undefined || divisor === "0" || divisors.includes(divisor)) return [];
  const shown = name === "cpu" ? divisors.join(" and ") : divisors.join(", ");
  const detail = `only divisor's values ${shown} are supported with the ${shownName} resource`;
  return [invalidValue(`${field}.divisor`, resource, detail)];
}

const sizeDivisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
const sizeNames: Readonly<Record<string, string>> = {
  memory: "memory",
  "ephemeral-storage": "local ephemeral storage",
};

function keyRefProblems(
  { name, key }: { readonly name?: string; readonly key?: string },
  field: string,
): readonly FieldProblem[] {
  return [...dnsSubdomain(textOf(name), `${field}.name`), ...requiredText(key, `${field}.key`, configKey)];
}

/** A problem names the list, not the entry, where an entry has no source or more than one, as on the real server. */
export function environmentSourcesProblems(
  sources: readonly Given<EnvFromSource>[] | undefined,
  field: string,
): readonly FieldProblem[] {
  if (sources === undefined) return [];
  return sources.flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const place = indexed(field, index);
    const problems = prefix ? [...environmentName(prefix, `${place}.prefix`)] : [];
    if (configMapRef !== undefined)
      problems.push(...sourceNameProblems(configMapRef, `${place}.configMapRef`));
    if (secretRef !== undefined) problems.push(...sourceNameProblems(secretRef, `${place}.secretRef`));
    if (configMapRef === undefined && secretRef === undefined) {
      problems.push(invalidValue(field, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      problems.push(invalidValue(field, "", "may not have more than one field specified at a time"));
    }
    return problems;
  });
}

function sourceNameProblems({ name }: { readonly name?: string }, field: string): readonly FieldProblem[] {
  return requiredText(name, `${field}.name`, dnsSubdomain);
}

function environmentName(name: string, field: string): readonly FieldProblem[] {
  return environmentNameProblems(name).map((detail) => invalidValue(field, name, detail));
}

function configKey(key: string, field: string): readonly FieldProblem[] {
  return configKeyProblems(key).map((detail) => invalidValue(field, key, detail));
}
