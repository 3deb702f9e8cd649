import { type CelType, dynType } from "../language/cel-type.ts";
import type { CheckedExpression, ResolvedCall } from "../language/check-expression.ts";
import {
  type Call,
  type Comprehension,
  type Expression,
  hiddenAccumulator,
  type Literal,
  type Select,
} from "../language/expression.ts";
import { listCost, mapCost } from "./call-cost.ts";
import { estimateCall, type Operand } from "./call-estimate.ts";
import { either, exactly, product, type Size, sum, unknownSize } from "./size.ts";
import type { ValueShape } from "./value-shape.ts";

/** Where in the object a value is: the variable, then fields, `@items`, `@keys` and `@values`. */
type Path = readonly string[];

/** Sizes of the keys and values of a list or map that the expression makes itself. */
interface EntrySizes {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

interface LocalVariable {
  readonly name: string;
  readonly path: Path;
  readonly size: Size | undefined;
  readonly entries: EntrySizes | undefined;
}

/**
 * The most that an expression about values of a shape may cost, in the units of the real server, so that what it finds
 * too expensive is so here too.
 */
export function estimateCost(checked: CheckedExpression, self: ValueShape): number {
  return new CostEstimator(checked, self).cost(checked.root);
}

class CostEstimator {
  readonly #checked: CheckedExpression;
  readonly #self: ValueShape;
  readonly #costs = new Map<Expression, number>();
  readonly #paths = new Map<Expression, Path>();
  readonly #sizes = new Map<Expression, Size>();
  readonly #entries = new Map<Expression, EntrySizes>();
  readonly #locals: LocalVariable[] = [];

  constructor(checked: CheckedExpression, self: ValueShape) {
    this.#checked = checked;
    this.#self = self;
  }

  cost(expression: Expression): number {
    const known = this.#costs.get(expression);
    if (known !== undefined) return known;
    const cost = this.#cost(expression);
    this.#costs.set(expression, cost);
    return cost;
  }

  #cost(expression: Expression): number {
    switch (expression.kind) {
      case "literal":
        return 0;
      case "identifier":
        this.#paths.set(expression, this.#local(expression)?.path ?? [expression.name]);
        return 1;
      case "select":
        return this.#select(expression);
      case "call":
        return this.#call(expression);
      case "list": {
        const parts = expression.elements.map(({ value }) => value);
        const cost = this.#all(parts);
        this.#entries.set(expression, { isList: true, key: exactly(1), value: this.#union(parts) });
        return sum(cost, listCost);
      }
      case "map": {
        const keys = expression.entries.map(({ key }) => key);
        const values = expression.entries.map(({ value }) => value);
        const cost = this.#all([...keys, ...values]);
        this.#entries.set(expression, { isList: false, key: this.#union(keys), value: this.#union(values) });
        return sum(cost, mapCost);
      }
      case "object":
        return 0;
      case "comprehension":
        return isBinding(expression) ? this.#binding(expression) : this.#loop(expression);
    }
  }

  #all(expressions: readonly Expression[]): number {
    return sum(...expressions.map((expression) => this.cost(expression)));
  }

  #union(expressions: readonly Expression[]): Size {
    if (expressions.length === 0) return exactly(0);
    return expressions.map((expression) => this.#sizeOrUnknown(expression)).reduce(either);
  }

  #typeOf(expression: Expression): CelType {
    return this.#checked.types.get(expression) ?? dynType;
  }

  #local(expression: Expression): LocalVariable | undefined {
    if (expression.kind !== "identifier") return undefined;
    return this.#locals.findLast(({ name }) => name === expression.name);
  }

  #pathOf(expression: Expression): Path {
    return this.#local(expression)?.path ?? this.#paths.get(expression) ?? [];
  }

  #select(select: Select): number {
    const name = this.#checked.names.get(select);
    if (name !== undefined) {
      this.#paths.set(select, [name]);
      return 1;
    }
    const cost = this.cost(select.operand);
    if (select.isTest) return cost;
    this.#paths.set(select, [...this.#pathOf(select.operand), select.field]);
    const { kind } = this.#typeOf(select.operand);
    return kind === "map" || kind === "object" ? sum(cost, 1) : cost;
  }

  #call(call: Call): number {
    const resolved = this.#checked.calls.get(call);
    if (resolved === undefined) return 0;
    const { name, args } = resolved;
    const ofArguments = args.map((argument) => this.cost(argument));
    const [first, second, third] = args;
    switch (name) {
      case "_&&_":
      case "_||_":
        return sum(...ofArguments);
      case "dyn":
        if (first !== undefined) this.#copySizes(call, first);
        return sum(1, ...ofArguments);
      case "_?_:_":
        if (second !== undefined && third !== undefined) this.#choose(call, second, third);
        return sum(ofArguments[0] ?? 0, Math.max(ofArguments[1] ?? 0, ofArguments[2] ?? 0));
      default:
        return sum(this.#function(call, resolved), ...ofArguments);
    }
  }

  #choose(call: Call, one: Expression, other: Expression): void {
    this.#sizes.set(call, either(this.#sizeOrUnknown(one), this.#sizeOrUnknown(other)));
    this.#joinEntries(call, one, other);
  }

  #joinEntries(call: Call, one: Expression, other: Expression): void {
    const [ofOne, ofOther] = [this.#entriesOf(one), this.#entriesOf(other)];
    if (ofOne === undefined || ofOther === undefined) return;
    const { isList } = ofOne;
    const [key, value] = [either(ofOne.key, ofOther.key), either(ofOne.value, ofOther.value)];
    this.#entries.set(call, { isList, key, value });
  }

  #function(call: Call, { name, costName, args }: ResolvedCall): number {
    const { cost, size } = estimateCall(
      costName,
      args.map((argument) => this.#operand(argument)),
    );
    const [first, second] = args;
    if (name === "_+_" && first !== undefined && second !== undefined) this.#joinEntries(call, first, second);
    if (name === "_[_]" && first !== undefined) {
      this.#element(call, first);
      return cost;
    }
    const known = size ?? this.#sizeOf(call);
    if (known !== undefined) this.#sizes.set(call, known);
    return cost;
  }

  #element(call: Call, container: Expression): void {
    const { kind } = this.#typeOf(container);
    if (kind === "list" || kind === "map")
      this.#paths.set(call, [...this.#pathOf(container), kind === "list" ? "@items" : "@values"]);
    const size = this.#entriesOf(container)?.value ?? this.#sizeOf(call);
    if (size !== undefined) this.#sizes.set(call, size);
  }

  #operand(expression: Expression): Operand {
    const type = this.#typeOf(expression);
    const path = this.#pathOf(expression);
    const isKnown = path.length > 0 && path[0] !== hiddenAccumulator;
    const [element] = type.parameters;
    const ofElement = isKnown ? shapeSize(this.#self, [...path, "@items"]) : undefined;
    return {
      type,
      size: this.#sizeOrUnknown(expression),
      elementSize: element === undefined ? undefined : ofElement,
      integer: expression.kind === "literal" ? integerOf(expression) : undefined,
    };
  }

  #loop(loop: Comprehension): number {
    const { range, initial, variable, secondVariable } = loop;
    const before = sum(this.cost(range), this.cost(initial));
    const depth = this.#locals.length;
    this.#declareAccumulator(loop);
    const entries = this.#entriesOf(range);
    const isList = entries?.isList ?? this.#typeOf(range).kind === "list";
    const path = this.#pathOf(range);
    const key = { path: [...path, isList ? "@indices" : "@keys"], size: entries?.key, entries: undefined };
    const value = {
      path: [...path, isList ? "@items" : "@values"],
      size: entries?.value,
      entries: undefined,
    };
    if (secondVariable === undefined) this.#locals.push({ name: variable, ...(isList ? value : key) });
    else this.#locals.push({ name: variable, ...key }, { name: secondVariable, ...value });
    const perRound = sum(this.cost(loop.condition), this.cost(loop.step));
    const stepEntries = this.#entriesOf(loop.step);
    this.#locals.length = depth + 1;
    const after = this.cost(loop.result);
    this.#locals.length = depth;
    const rounds = this.#sizeOrUnknown(range);
    if (initial.kind === "literal") this.#copySizes(loop, initial);
    else if (initial.kind === "list" || initial.kind === "map") {
      this.#sizes.set(loop, rounds);
      if (stepEntries !== undefined) this.#entries.set(loop, stepEntries);
    }
    return sum(before, after, product(rounds.max, perRound));
  }

  #binding(loop: Comprehension): number {
    const before = sum(this.cost(loop.range), this.cost(loop.initial));
    this.#declareAccumulator(loop);
    const cost = sum(before, this.cost(loop.result));
    this.#copySizes(loop, loop.result);
    this.#locals.pop();
    return cost;
  }

  #declareAccumulator({ accumulator: name, initial }: Comprehension): void {
    const [path, size, entries] = [this.#pathOf(initial), this.#sizeOf(initial), this.#entriesOf(initial)];
    this.#locals.push({ name, path, size, entries });
  }

  #copySizes(to: Expression, from: Expression): void {
    const [size, entries] = [this.#sizeOf(from), this.#entriesOf(from)];
    if (size !== undefined) this.#sizes.set(to, size);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #sizeOrUnknown(expression: Expression): Size {
    return this.#sizeOf(expression) ?? unknownSize;
  }

  #sizeOf(expression: Expression): Size | undefined {
    return (
      this.#sizes.get(expression) ??
      ownSize(expression) ??
      shapeSize(this.#self, this.#pathOf(expression)) ??
      (isScalar(this.#typeOf(expression)) ? exactly(1) : undefined) ??
      this.#local(expression)?.size
    );
  }

  #entriesOf(expression: Expression): EntrySizes | undefined {
    return this.#entries.get(expression) ?? this.#local(expression)?.entries;
  }
}

/** A value that is given a name, not a loop. */
function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  return (
    range.kind === "list" &&
    range.elements.length === 0 &&
    condition.kind === "literal" &&
    condition.value === false &&
    accumulator !== hiddenAccumulator
  );
}

function ownSize(expression: Expression): Size | undefined {
  if (expression.kind === "list") return exactly(expression.elements.length);
  if (expression.kind === "map") return exactly(expression.entries.length);
  if (expression.kind !== "literal") return undefined;
  const { value } = expression;
  if (typeof value === "string") return exactly([...value].length);
  return exactly(value instanceof Uint8Array ? value.length : 1);
}

function integerOf({ value }: Literal): number | undefined {
  return typeof value === "bigint" ? Math.max(0, Number(value)) : undefined;
}

function isScalar({ kind, name, parameters }: CelType): boolean {
  const [inner] = parameters;
  if (name === "optional_type" && inner !== undefined) return isScalar(inner);
  return kind === "scalar" && name !== "string" && name !== "bytes";
}

/** Whatever the variable: paths begin at the value itself. */
function shapeSize(self: ValueShape, path: Path): Size | undefined {
  if (path.length === 0) return undefined;
  let shape: ValueShape | undefined = self;
  for (const name of path.slice(1)) {
    if (name === "@items" || name === "@values") shape = shape?.elements;
    else if (name === "@keys") shape = shape?.keys;
    else shape = shape?.fields?.get(name);
  }
  return shape && { min: 0, max: shape.maxElements };
}
