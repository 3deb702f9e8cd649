import type { CelType } from "./cel-type.ts";
import { CelDuration, CelTimestamp, isMap, OptionalValue, typeNameOf, Unsigned } from "./cel-values.ts";
import type { ResolvedCall } from "./check-expression.ts";
import { failure, noSuchOverload } from "./evaluation-failure.ts";

/** Calls the form of a function that the values are for. With one form that is sure to fit, that one. */
export function dispatcher(
  { overloads }: ResolvedCall,
  isSure: boolean,
): (values: readonly unknown[]) => unknown {
  const [only] = overloads;
  if (isSure && only !== undefined && overloads.length === 1)
    return (values) => Reflect.apply(only.handler, undefined, values);
  return (values) => {
    const fitting = overloads.find(({ parameters }) =>
      parameters.every((type, index) => isOfType(values[index], type)),
    );
    if (fitting === undefined) throw failure(noSuchOverload);
    return Reflect.apply(fitting.handler, undefined, values);
  };
}

/** Of lists and maps the first entry decides. */
function isOfType(value: unknown, type: CelType): boolean {
  const [first, second] = type.parameters;
  switch (type.kind) {
    case "scalar":
      return isOfScalar(value, type.name);
    case "list":
      return Array.isArray(value) && (value.length === 0 || first === undefined || isOfType(value[0], first));
    case "map": {
      if (!isMap(value)) return false;
      for (const [key, inner] of value) return isOfOptional(key, first) && isOfOptional(inner, second);
      return true;
    }
    case "null":
      return value === null;
    case "object":
      return typeNameOf(value) === type.name;
    case "opaque":
      return type.name === "optional_type"
        ? value instanceof OptionalValue && (!value.hasValue || isOfOptional(value.value, first))
        : typeNameOf(value) === type.name;
    default:
      return true;
  }
}

function isOfOptional(value: unknown, type: CelType | undefined): boolean {
  return type === undefined || isOfType(value, type);
}

function isOfScalar(value: unknown, name: string): boolean {
  switch (name) {
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "uint":
      return value instanceof Unsigned;
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "duration":
      return value instanceof CelDuration;
    default:
      return value instanceof CelTimestamp;
  }
}
