import { callCost, listCost, mapCost } from "../cost/call-cost.ts";
import { elementOf, elementsOf, fieldOf, hasField, insertEntry, keyOf } from "./access-value.ts";
import { Budget } from "./budget.ts";
import { celEquals } from "./cel-equality.ts";
import { unwrapped } from "./cel-type.ts";
import { isMap, type MapKey, OptionalValue, TypeValue, Unsigned } from "./cel-values.ts";
import { type CheckedExpression, fieldName, type ResolvedCall } from "./check-expression.ts";
import { isConstant } from "./constant-expression.ts";
import { failure, noSuchOverload } from "./evaluation-failure.ts";
import {
  alternative,
  attempt,
  choice,
  Failed,
  isNotFalse,
  junction,
  optionalAccess,
  type Step,
} from "./evaluation-steps.ts";
import {
  type Call,
  type Comprehension,
  type Expression,
  hiddenAccumulator,
  type ListExpression,
  type LiteralValue,
  type MapExpression,
  type Select,
} from "./expression.ts";
import { dispatcher } from "./overload-dispatch.ts";

/** An expression that is ready to run. Throws an EvaluationFailure where there is no value. */
export type Program = (variables: Readonly<Record<string, unknown>>, budget: Budget) => unknown;

export function planExpression(checked: CheckedExpression): Program {
  const step = new Planner(checked).plan(checked.root);
  return (variables, budget) => step({ locals: [], variables, budget });
}

/** Types that expressions can compare with. */
const typeNames: ReadonlySet<string> = new Set([
  ...["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"],
  ...["google.protobuf.Duration", "google.protobuf.Timestamp"],
]);

class Planner {
  readonly #checked: CheckedExpression;
  readonly #locals: string[] = [];
  readonly #steps = new Map<Expression, Step>();

  constructor(checked: CheckedExpression) {
    this.#checked = checked;
  }

  plan(expression: Expression): Step {
    const known = this.#steps.get(expression);
    if (known !== undefined) return known;
    const step = this.#constantStep(expression);
    this.#steps.set(expression, step);
    return step;
  }

  #constantStep(expression: Expression): Step {
    const step = this.#plan(expression);
    if (!isConstant(expression)) return step;
    const value = attempt(step, { locals: [], variables: {}, budget: new Budget(Number.POSITIVE_INFINITY) });
    return value instanceof Failed ? step : () => value;
  }

  #plan(expression: Expression): Step {
    switch (expression.kind) {
      case "literal": {
        const value = constant(expression.value);
        return () => value;
      }
      case "identifier":
        return this.#identifier(expression.name);
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list":
        return this.#list(expression);
      case "map":
        return this.#map(expression);
      case "object":
        throw new TypeError("no type can be made by its name");
      case "comprehension":
        return this.#comprehension(expression);
    }
  }

  #identifier(written: string): Step {
    const name = written.startsWith(".") ? written.slice(1) : written;
    const place = written === name ? this.#locals.lastIndexOf(name) : -1;
    if (place >= 0) {
      return ({ locals, budget }) => {
        budget.spend(1);
        const value = locals[place];
        if (value instanceof Failed) throw value.error;
        return value;
      };
    }
    if (typeNames.has(name)) {
      const type = new TypeValue(name);
      return () => type;
    }
    return ({ variables, budget }) => {
      budget.spend(1);
      const value = variables[name];
      if (value === undefined) throw failure(`no such attribute(s): ${name}`);
      return value;
    };
  }

  #select(select: Select): Step {
    const name = this.#checked.names.get(select);
    if (name !== undefined) return this.#identifier(name);
    const { isTest } = select;
    const field = fieldName(this.#checked.types.get(select.operand), select.field);
    const operand = this.plan(select.operand);
    if (isTest) return (frame) => hasField(operand(frame), field);
    const cost = accessCost(select.operand);
    return (frame) => {
      const object = operand(frame);
      frame.budget.spend(cost);
      return fieldOf(object, field, select.field);
    };
  }

  #call(call: Call): Step {
    const resolved = this.#checked.calls.get(call);
    if (resolved === undefined) throw new TypeError(`the call of ${call.name} is not checked`);
    const special = this.#specialForm(resolved);
    if (special !== undefined) return special;
    const { costName, args } = resolved;
    const steps = args.map((argument) => this.plan(argument));
    const isSure = args.every((argument) => !mayBeAnything(this.#checked, argument));
    const compute = dispatcher(resolved, isSure);
    return (frame) => {
      const values = steps.map((step) => step(frame));
      const result = compute(values);
      frame.budget.spend(callCost(costName, values, result));
      return result;
    };
  }

  /** Calls that do not evaluate all of their arguments, or that know how to access a value. */
  #specialForm({ name, args }: ResolvedCall): Step | undefined {
    const [first, second, third] = args;
    switch (name) {
      case "_&&_":
        return junction(this.#all(args), false);
      case "_||_":
        return junction(this.#all(args), true);
      case "_?_:_":
        return (
          first && second && third && choice(this.plan(first), this.#branch(second), this.#branch(third))
        );
      case "@not_strictly_false":
        return first && isNotFalse(this.plan(first));
      case "_?._":
        return first && second && this.#optionalField(first, second);
      case "_[?_]":
        return first && second && optionalAccess(this.plan(first), this.plan(second));
      case "_[_]":
        return first && second && this.#element(first, second);
      case "or":
        return first && second && alternative(this.plan(first), this.plan(second), (value) => value);
      case "orValue":
        return (
          first && second && alternative(this.plan(first), this.plan(second), (optional) => optional.value)
        );
      case "@in":
        return first && second && this.#member(first, second);
      case "_+_":
        return first && second && this.#append(first, second);
      case "cel.@mapInsert":
        return this.#insert(args);
      default:
        return undefined;
    }
  }

  /** A variable that is chosen is not charged for itself. */
  #branch(expression: Expression): Step {
    const step = this.plan(expression);
    if (expression.kind !== "identifier" && expression.kind !== "select") return step;
    return (frame) => {
      frame.budget.spend(-1);
      return step(frame);
    };
  }

  #element(container: Expression, key: Expression): Step {
    const [operand, at] = [this.plan(container), this.plan(key)];
    // Nor is one that is the key.
    const isVariable = key.kind === "identifier" || key.kind === "select";
    const cost = accessCost(container) - (isVariable ? 1 : 0);
    return (frame) => {
      const [value, index] = [operand(frame), at(frame)];
      frame.budget.spend(cost);
      return elementOf(value, index);
    };
  }

  /** A look into a list that the expression states costs nothing. */
  #member(item: Expression, list: Expression): Step | undefined {
    if (list.kind !== "list" || !isConstant(list)) return undefined;
    const [given, stated] = [this.plan(item), this.plan(list)];
    return (frame) => {
      const [value, values] = [given(frame), stated(frame)];
      return Array.isArray(values) && values.some((one) => celEquals(one, value));
    };
  }

  #optionalField(operand: Expression, field: Expression): Step {
    const type = this.#checked.types.get(operand);
    const written = field.kind === "literal" ? String(field.value) : "";
    const name = fieldName((type && unwrapped(type)) ?? type, written);
    return optionalAccess(this.plan(operand), () => name);
  }

  #all(expressions: readonly Expression[]): readonly Step[] {
    return expressions.map((expression) => this.plan(expression));
  }

  /** What a macro collects is not copied for each element: no expression can hold the accumulator. */
  #append(list: Expression, added: Expression): Step | undefined {
    const [element] = added.kind === "list" && added.elements.length === 1 ? added.elements : [];
    if (!isAccumulator(list) || element === undefined || element.isOptional) return undefined;
    const [accumulator, value] = [this.plan(list), this.plan(element.value)];
    return (frame) => {
      const collected = accumulator(frame);
      const taken = value(frame);
      frame.budget.spend(listCost + 1);
      if (!Array.isArray(collected)) throw failure(noSuchOverload);
      collected.push(taken);
      return collected;
    };
  }

  #insert([map, ...given]: readonly Expression[]): Step | undefined {
    if (map === undefined) return undefined;
    const [accumulator, steps] = [this.plan(map), this.#all(given)];
    return (frame) => {
      const collected = accumulator(frame);
      const [first, value] = steps.map((step) => step(frame));
      frame.budget.spend(1);
      if (!(collected instanceof Map)) throw failure(noSuchOverload);
      const entries = steps.length === 2 ? [[first, value] as const] : isMap(first) ? first : [];
      for (const [key, inner] of entries) insertEntry(collected, key, inner);
      return collected;
    };
  }

  #list({ elements }: ListExpression): Step {
    const steps = elements.map(({ value, isOptional }) => ({ step: this.plan(value), isOptional }));
    return (frame) => {
      const values: unknown[] = [];
      for (const { step, isOptional } of steps) {
        const value = step(frame);
        if (!isOptional) values.push(value);
        else if (!(value instanceof OptionalValue))
          throw failure(`cannot initialize optional list element from non-optional value ${String(value)}`);
        else if (value.hasValue) values.push(value.value);
      }
      frame.budget.spend(listCost);
      return values;
    };
  }

  #map({ entries }: MapExpression): Step {
    const steps = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }));
    return (frame) => {
      const map = new Map<MapKey, unknown>();
      for (const { key, value, isOptional } of steps) {
        const [at, given] = [key(frame), value(frame)];
        if (!isOptional) map.set(keyOf(at), given);
        else if (!(given instanceof OptionalValue)) {
          const text = `cannot initialize optional entry '${String(at)}' from non-optional value`;
          throw failure(`${text} ${String(given)}`);
        } else if (given.hasValue) map.set(keyOf(at), given.value);
      }
      frame.budget.spend(mapCost);
      return map;
    };
  }

  /** What a macro collects in is new for each evaluation. */
  #initial(expression: Expression): Step {
    if (expression.kind === "list" && expression.elements.length === 0) return () => [];
    if (expression.kind === "map" && expression.entries.length === 0) return () => new Map();
    return this.plan(expression);
  }

  #comprehension(loop: Comprehension): Step {
    const range = this.plan(loop.range);
    const initial = this.#initial(loop.initial);
    const place = this.#locals.length;
    const isPair = loop.secondVariable !== undefined;
    this.#locals.push(loop.accumulator, loop.variable);
    if (loop.secondVariable !== undefined) this.#locals.push(loop.secondVariable);
    const [condition, step] = [this.plan(loop.condition), this.plan(loop.step)];
    this.#locals.length = place + 1;
    const result = this.plan(loop.result);
    this.#locals.length = place;
    return (frame) => {
      const { locals } = frame;
      const values = elementsOf(range(frame), isPair);
      locals[place] = attempt(initial, frame);
      for (const [one, other] of values) {
        locals[place + 1] = one;
        locals[place + 2] = other;
        if (condition(frame) !== true) break;
        locals[place] = attempt(step, frame);
      }
      return result(frame);
    };
  }
}

/** What is in a variable costs less than what is computed. */
function accessCost(container: Expression): number {
  if (container.kind === "identifier" || container.kind === "select") return 1;
  return container.kind === "call" && container.name === "_[_]" ? 1 : 2;
}

function isAccumulator(expression: Expression): boolean {
  return expression.kind === "identifier" && expression.name === hiddenAccumulator;
}

function mayBeAnything({ types }: CheckedExpression, expression: Expression): boolean {
  const type = types.get(expression);
  return type === undefined || type.kind === "dyn" || type.parameters.some(({ kind }) => kind === "dyn");
}

function constant(value: LiteralValue): unknown {
  return typeof value === "object" && value !== null && "unsigned" in value
    ? new Unsigned(value.unsigned)
    : value;
}
