import {
  type CelType,
  dynType,
  errorType,
  isSameType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  scalars,
  typeText,
  unwrapped,
} from "./cel-type.ts";
import {
  type Call,
  type Comprehension,
  type Expression,
  type ListExpression,
  type LiteralValue,
  type MapExpression,
  type ObjectExpression,
  qualifiedName,
  type Select,
} from "./expression.ts";
import type { Finding } from "./expression-problem.ts";
import type { FunctionTable, Overload } from "./function-table.ts";
import { reservedWords } from "./reserved-words.ts";
import { moreGeneral, TypeInference } from "./type-inference.ts";

/** What expressions may name. */
export interface Declarations {
  readonly functions: FunctionTable;
  readonly variables: ReadonlyMap<string, CelType>;
  /** Of objects the types of their fields. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, CelType>>;
}

/** Which function a call is; of several forms the values decide. */
export interface ResolvedCall {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** The receiver first, unless it was a part of the name. */
  readonly args: readonly Expression[];
  /** What the call is charged as. */
  readonly costName: string;
}

/** An expression with the types of its parts. */
export interface CheckedExpression {
  readonly root: Expression;
  readonly types: ReadonlyMap<Expression, CelType>;
  readonly calls: ReadonlyMap<Expression, ResolvedCall>;
  /** Variables that are written with dots. */
  readonly names: ReadonlyMap<Expression, string>;
  readonly findings: readonly Finding[];
}

export function checkExpression(root: Expression, declarations: Declarations): CheckedExpression {
  const checker = new Checker(declarations);
  checker.check(root);
  return { root, ...checker.result() };
}

/** Fields of objects whose names are words of the language have other names, but need not be written so. */
export function fieldName(type: CelType | undefined, written: string): string {
  return type?.kind === "object" && reservedWords.has(written) ? `__${written}__` : written;
}

class Checker {
  readonly #declarations: Declarations;
  readonly #inference = new TypeInference();
  readonly #types = new Map<Expression, CelType>();
  readonly #calls = new Map<Expression, ResolvedCall>();
  readonly #names = new Map<Expression, string>();
  readonly #findings: Finding[] = [];
  /** Variables of macros, the innermost last. */
  readonly #locals: (readonly [name: string, type: CelType])[] = [];

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  result(): Omit<CheckedExpression, "root"> {
    const types = new Map<Expression, CelType>();
    for (const [expression, type] of this.#types) types.set(expression, this.#inference.resolve(type, true));
    return { types, calls: this.#calls, names: this.#names, findings: this.#findings };
  }

  check(expression: Expression): CelType {
    const known = this.#types.get(expression);
    if (known !== undefined) return known;
    const type = this.#typeOf(expression);
    this.#types.set(expression, type);
    return type;
  }

  #typeOf(expression: Expression): CelType {
    switch (expression.kind) {
      case "literal":
        return literalType(expression.value);
      case "identifier":
        return this.#variable(expression.name) ?? this.#undeclared(expression.name, expression.offset);
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "object":
        return this.#object(expression);
      case "comprehension":
        return this.#comprehension(expression);
    }
  }

  #report(offset: number, text: string): CelType {
    this.#findings.push({ text, offset });
    return errorType;
  }

  #undeclared(name: string, offset: number): CelType {
    return this.#report(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #mismatch(offset: number, expected: CelType, found: CelType): CelType {
    return this.#report(offset, `expected type '${typeText(expected)}' but found '${typeText(found)}'`);
  }

  #variable(name: string): CelType | undefined {
    const plain = name.startsWith(".") ? name.slice(1) : name;
    return this.#locals.findLast(([local]) => local === name)?.[1] ?? this.#declarations.variables.get(plain);
  }

  #select(select: Select): CelType {
    const name = qualifiedName(select);
    const type = name === undefined ? undefined : this.#qualifiedVariable(name);
    if (name !== undefined && type !== undefined) {
      this.#names.set(select, name);
      return type;
    }
    const found = this.#field(select.operand, select.field, select.offset, false);
    return select.isTest ? scalars.bool : this.#inference.resolve(found);
  }

  /** A variable of a macro hides a longer name that begins like it. */
  #qualifiedVariable(name: string): CelType | undefined {
    const [first = ""] = name.split(".", 1);
    if (this.#locals.some(([local]) => local === first)) return undefined;
    return this.#declarations.variables.get(name);
  }

  #field(operand: Expression, field: string, offset: number, isOptional: boolean): CelType {
    const given = this.#inference.resolve(this.check(operand));
    const inner = unwrapped(given);
    const type = this.#fieldType(inner ?? given, field, offset);
    return isOptional || inner !== undefined ? optionalOf(type) : type;
  }

  #fieldType(type: CelType, field: string, offset: number): CelType {
    switch (type.kind) {
      case "map":
        return type.parameters[1] ?? dynType;
      case "object":
        return (
          this.#declarations.objects.get(type.name)?.get(fieldName(type, field)) ??
          this.#report(offset, `undefined field '${field}'`)
        );
      case "parameter":
        this.#inference.assign(dynType, type);
        return dynType;
      case "dyn":
      case "error":
        return dynType;
      default:
        this.#report(offset, `type '${typeText(type)}' does not support field selection`);
        return dynType;
    }
  }

  #call(call: Call): CelType {
    const { name, target, args, offset } = call;
    const [operand, field] = args;
    if (name === "_?._" && operand !== undefined && field?.kind === "literal") {
      const overloads = this.#declarations.functions.get(name) ?? [];
      this.#calls.set(call, { name, overloads, args, costName: name });
      this.#types.set(field, scalars.string);
      return this.#inference.resolve(this.#field(operand, String(field.value), offset, true));
    }
    for (const argument of args) this.check(argument);
    if (name === "_&&_" || name === "_||_") return this.#junction(call);
    const { functions } = this.#declarations;
    if (target === undefined) {
      const found = functions.get(name);
      return found === undefined ? this.#undeclared(name, offset) : this.#overload(call, name, found, args);
    }
    const prefix = qualifiedName(target);
    const full = prefix === undefined ? undefined : `${prefix}.${name}`;
    const namespaced = full === undefined ? undefined : functions.get(full);
    if (full !== undefined && namespaced !== undefined) return this.#overload(call, full, namespaced, args);
    this.check(target);
    const found = functions.get(name);
    if (found === undefined) return this.#undeclared(name, offset);
    return this.#overload(call, name, found, [target, ...args], true);
  }

  /** Each operand that is no boolean is reported for itself. */
  #junction(call: Call): CelType {
    let type = scalars.bool;
    for (const argument of call.args) {
      const given = this.#types.get(argument) ?? dynType;
      if (this.#inference.assign(given, scalars.bool)) continue;
      type = this.#mismatch(argument.offset, scalars.bool, this.#inference.resolve(given, true));
    }
    const { name, args } = call;
    this.#calls.set(call, { name, overloads: [], args, costName: name });
    return type;
  }

  #overload(
    call: Call,
    name: string,
    candidates: readonly Overload[],
    args: readonly Expression[],
    isMember = false,
  ): CelType {
    const given = args.map((argument) => this.#types.get(argument) ?? dynType);
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of candidates) {
      if (overload.isMember !== isMember) continue;
      const { parameters, type } = this.#instance(overload);
      if (!this.#inference.assignAll(given, parameters)) continue;
      fitting.push(overload);
      const resolved = this.#inference.resolve(type);
      if (result === undefined) result = resolved;
      else if (result.kind !== "dyn" && !isSameType(result, resolved)) result = dynType;
    }
    if (result === undefined) {
      const types = given.map((type) => typeText(this.#inference.resolve(type, true)));
      const [first = ""] = types;
      const applied = isMember ? `${first}.(${types.slice(1).join(", ")})` : `(${types.join(", ")})`;
      return this.#report(call.offset, `found no matching overload for '${name}' applied to '${applied}'`);
    }
    // The real server does not know what the form without a receiver costs.
    const costName = name === "matches" && !isMember ? "" : name;
    this.#calls.set(call, { name, overloads: fitting, args, costName });
    return result;
  }

  /** The signature with parameters of its own. */
  #instance({ parameters, result, typeParameters }: Overload): {
    readonly parameters: readonly CelType[];
    readonly type: CelType;
  } {
    if (typeParameters.length === 0) return { parameters, type: result };
    const fresh = new Map(typeParameters.map((name) => [name, this.#inference.fresh()]));
    const replace = (type: CelType): CelType =>
      type.kind === "parameter"
        ? (fresh.get(type.name) ?? type)
        : { ...type, parameters: type.parameters.map(replace) };
    return { parameters: parameters.map(replace), type: replace(result) };
  }

  #list({ elements }: ListExpression): CelType {
    let joined: CelType | undefined;
    for (const { value, isOptional } of elements) {
      const type = this.#optionalPart(value, isOptional);
      joined = this.#join(joined, type);
    }
    return listOf(joined ?? this.#inference.fresh());
  }

  #map({ entries }: MapExpression): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, isOptional } of entries) {
      keys = this.#join(keys, this.check(key));
      values = this.#join(values, this.#optionalPart(value, isOptional));
    }
    return mapOf(keys ?? this.#inference.fresh(), values ?? this.#inference.fresh());
  }

  #optionalPart(value: Expression, isOptional: boolean): CelType {
    const type = this.check(value);
    if (!isOptional) return type;
    const inner = unwrapped(type);
    if (inner === undefined && type.kind !== "dyn") this.#mismatch(value.offset, optionalOf(type), type);
    return inner ?? type;
  }

  /** What elements of both types have in common; others become `dyn`, which a later check refuses. */
  #join(before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type;
    return this.#inference.assign(before, type) ? moreGeneral(before, type) : dynType;
  }

  #object({ typeName, fields, offset }: ObjectExpression): CelType {
    for (const { value } of fields) this.check(value);
    return this.#undeclared(typeName, offset);
  }

  #comprehension(loop: Comprehension): CelType {
    const range = this.#inference.resolve(this.check(loop.range));
    const accumulator = this.check(loop.initial);
    const [variable, second] = this.#loopTypes(loop, range);
    const depth = this.#locals.length;
    this.#locals.push([loop.accumulator, accumulator], [loop.variable, variable]);
    if (loop.secondVariable !== undefined) this.#locals.push([loop.secondVariable, second]);
    this.#assert(loop.condition, scalars.bool);
    this.#assert(loop.step, accumulator);
    this.#locals.length = depth + 1;
    const result = this.check(loop.result);
    this.#locals.length = depth;
    return this.#inference.resolve(result);
  }

  #loopTypes({ range, secondVariable }: Comprehension, type: CelType): readonly [CelType, CelType] {
    const [first = dynType, second = dynType] = type.parameters;
    switch (type.kind) {
      case "list":
        return secondVariable === undefined ? [first, dynType] : [scalars.int, first];
      case "map":
        return [first, second];
      case "dyn":
      case "error":
      case "parameter":
        this.#inference.assign(dynType, type);
        return [dynType, dynType];
      default: {
        const what = "cannot be range of a comprehension (must be list, map, or dynamic)";
        this.#report(range.offset, `expression of type '${typeText(type)}' ${what}`);
        return [errorType, errorType];
      }
    }
  }

  #assert(expression: Expression, expected: CelType): void {
    const type = this.check(expression);
    if (!this.#inference.assign(expected, type)) this.#mismatch(expression.offset, expected, type);
  }
}

function literalType(value: LiteralValue): CelType {
  if (value === null) return nullType;
  if (typeof value === "boolean") return scalars.bool;
  if (typeof value === "bigint") return scalars.int;
  if (typeof value === "number") return scalars.double;
  if (typeof value === "string") return scalars.string;
  return value instanceof Uint8Array ? scalars.bytes : scalars.uint;
}
