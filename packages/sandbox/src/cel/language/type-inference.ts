import { type CelType, dynType, isSameType } from "./cel-type.ts";

/** What the parameters of types turned out to be while an expression is checked. */
export class TypeInference {
  #known = new Map<string, CelType>();
  #count = 0;

  /** A parameter that nothing is known of yet. */
  fresh(): CelType {
    return { kind: "parameter", name: `_var${this.#count++}`, parameters: [] };
  }

  /** Whether values of the types fit where others are expected. What had to be assumed is remembered if so. */
  assignAll(given: readonly CelType[], expected: readonly CelType[]): boolean {
    const before = new Map(this.#known);
    if (this.#fitAll(given, expected)) return true;
    this.#known = before;
    return false;
  }

  assign(given: CelType, expected: CelType): boolean {
    return this.assignAll([given], [expected]);
  }

  /** The type with what is known of its parameters; `isFinal` makes the others `dyn`. */
  resolve(type: CelType, isFinal = false): CelType {
    if (type.kind === "parameter") {
      const known = this.#known.get(type.name);
      if (known !== undefined) return this.resolve(known, isFinal);
      return isFinal ? dynType : type;
    }
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map((parameter) => this.resolve(parameter, isFinal)) };
  }

  #fitAll(given: readonly CelType[], expected: readonly CelType[]): boolean {
    return (
      given.length === expected.length &&
      given.every((type, index) => {
        const other = expected[index];
        return other !== undefined && this.#fits(type, other);
      })
    );
  }

  #fits(given: CelType, expected: CelType): boolean {
    if (expected.kind === "parameter") {
      const isBound = this.#known.has(expected.name) || isSameType(given, expected);
      if (this.#bind(given, expected)) return true;
      if (isBound) return false;
    }
    if (given.kind === "parameter") return this.#bind(expected, given);
    if (isAnything(given) || isAnything(expected)) return true;
    if (given.kind === "null") return mayBeNull(expected);
    if (expected.kind === "null") return mayBeNull(given);
    if (given.kind === "type" || expected.kind === "type") return given.kind === expected.kind;
    return (
      given.kind === expected.kind &&
      given.name === expected.name &&
      this.#fitAll(given.parameters, expected.parameters)
    );
  }

  /** Whether the parameter can stand for the type. */
  #bind(type: CelType, parameter: CelType): boolean {
    if (isSameType(type, parameter)) return true;
    const known = this.#known.get(parameter.name);
    if (known === undefined) {
      if (this.#occurs(parameter, type)) return false;
      this.#known.set(parameter.name, type);
      return true;
    }
    if (isSameType(type, known)) return true;
    if (!this.#fits(type, known)) return false;
    const general = moreGeneral(type, known);
    if (!this.#occurs(parameter, general)) this.#known.set(parameter.name, general);
    return true;
  }

  #occurs(parameter: CelType, within: CelType): boolean {
    if (isSameType(parameter, within)) return true;
    if (within.kind === "parameter") {
      const known = this.#known.get(within.name);
      return known !== undefined && this.#occurs(parameter, known);
    }
    return within.parameters.some((inner) => this.#occurs(parameter, inner));
  }
}

function isAnything({ kind }: CelType): boolean {
  return kind === "dyn" || kind === "error";
}

function mayBeNull({ kind, name }: CelType): boolean {
  return (
    kind === "null" ||
    kind === "object" ||
    kind === "opaque" ||
    (kind === "scalar" && (name === "duration" || name === "timestamp"))
  );
}

/** Of two types that fit each other. */
export function moreGeneral(one: CelType, other: CelType): CelType {
  return isAsGeneral(one, other) ? one : other;
}

function isAsGeneral(one: CelType, other: CelType): boolean {
  if (one.kind === "dyn" || one.kind === "parameter") return true;
  if (other.kind === "dyn" || other.kind === "parameter" || one.kind !== other.kind) return false;
  if (one.kind === "type") return true;
  return (
    one.name === other.name &&
    one.parameters.length === other.parameters.length &&
    one.parameters.every((parameter, index) => {
      const twin = other.parameters[index];
      return twin !== undefined && isAsGeneral(parameter, twin);
    })
  );
}
