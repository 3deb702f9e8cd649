import {
  type Call,
  type Comprehension,
  type Expression,
  hiddenAccumulator,
  type Identifier,
  type Literal,
  type LiteralValue,
  type MapExpression,
} from "./expression.ts";
import { ExpressionProblem } from "./expression-problem.ts";

/** Makes the expression that a call of a macro stands for; all that is made has the offset of the call. */
type Expand = (call: Expander, target: Expression, args: readonly Expression[]) => Expression;

/** Undefined if there is no such macro. */
export function expandMacro(
  name: string,
  target: Expression | undefined,
  args: readonly Expression[],
  offset: number,
): Expression | undefined {
  const call = new Expander(offset);
  if (target === undefined) return name === "has" && args.length === 1 ? presence(args, offset) : undefined;
  return macros.get(`${name}:${args.length}`)?.(call, target, args);
}

function presence([argument]: readonly Expression[], offset: number): Expression {
  if (argument?.kind === "select") return { ...argument, isTest: true, offset };
  throw new ExpressionProblem([
    { text: "invalid argument to has() macro", offset: argument?.offset ?? offset },
  ]);
}

class Expander {
  readonly offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  get accumulator(): Identifier {
    return this.identifier(hiddenAccumulator);
  }

  identifier(name: string): Identifier {
    return { kind: "identifier", name, offset: this.offset };
  }

  literal(value: LiteralValue): Literal {
    return { kind: "literal", value, offset: this.offset };
  }

  call(name: string, ...args: readonly Expression[]): Call {
    return { kind: "call", name, args, offset: this.offset };
  }

  memberCall(name: string, target: Expression, ...args: readonly Expression[]): Call {
    return { ...this.call(name, ...args), target };
  }

  list(...elements: readonly Expression[]): Expression {
    const { offset } = this;
    return { kind: "list", elements: elements.map((value) => ({ value, isOptional: false })), offset };
  }

  get emptyMap(): MapExpression {
    return { kind: "map", entries: [], offset: this.offset };
  }

  loop(parts: Omit<Comprehension, "kind" | "offset" | "accumulator">): Expression {
    return { kind: "comprehension", accumulator: hiddenAccumulator, offset: this.offset, ...parts };
  }

  /** Evaluates `value` once, for a name. */
  bind(name: string, value: Expression, result: Expression): Expression {
    return {
      kind: "comprehension",
      range: this.list(),
      variable: "#unused",
      accumulator: name,
      initial: value,
      condition: this.literal(false),
      step: this.identifier(name),
      result,
      offset: this.offset,
    };
  }
}

type Variables = Pick<Comprehension, "variable" | "secondVariable">;
type Loop = Pick<Comprehension, "initial" | "condition" | "step" | "result">;

function all(call: Expander, predicate: Expression): Loop {
  return {
    initial: call.literal(true),
    condition: call.call("@not_strictly_false", call.accumulator),
    step: call.call("_&&_", call.accumulator, predicate),
    result: call.accumulator,
  };
}

function exists(call: Expander, predicate: Expression): Loop {
  return {
    initial: call.literal(false),
    condition: call.call("@not_strictly_false", call.call("!_", call.accumulator)),
    step: call.call("_||_", call.accumulator, predicate),
    result: call.accumulator,
  };
}

function existsOne(call: Expander, predicate: Expression): Loop {
  const next = call.call("_+_", call.accumulator, call.literal(1n));
  return {
    initial: call.literal(0n),
    condition: call.literal(true),
    step: call.call("_?_:_", predicate, next, call.accumulator),
    result: call.call("_==_", call.accumulator, call.literal(1n)),
  };
}

function collect(
  call: Expander,
  initial: Expression,
  taken: Expression,
  filter: Expression | undefined,
): Loop {
  return {
    initial,
    condition: call.literal(true),
    step: filter === undefined ? taken : call.call("_?_:_", filter, taken, call.accumulator),
    result: call.accumulator,
  };
}

/** With an argument more, the first one filters. */
function filtered(bodies: readonly Expression[]): readonly [Expression, Expression | undefined] {
  const [first, second] = bodies;
  if (first === undefined) throw new ExpressionProblem([]);
  return second === undefined ? [first, undefined] : [second, first];
}

function mapped(call: Expander, bodies: readonly Expression[]): Loop {
  const [value, filter] = filtered(bodies);
  return collect(call, call.list(), call.call("_+_", call.accumulator, call.list(value)), filter);
}

function transformedMap(call: Expander, bodies: readonly Expression[], key: string): Loop {
  const [value, filter] = filtered(bodies);
  const taken = call.call("cel.@mapInsert", call.accumulator, call.identifier(key), value);
  return collect(call, call.emptyMap, taken, filter);
}

function transformedEntries(call: Expander, bodies: readonly Expression[]): Loop {
  const [value, filter] = filtered(bodies);
  return collect(call, call.emptyMap, call.call("cel.@mapInsert", call.accumulator, value), filter);
}

function ofOne(
  loop: (call: Expander, bodies: readonly Expression[], variable: Identifier) => Loop,
  complaint = "argument must be a simple name",
): Expand {
  return (call, range, [first, ...bodies]) => {
    const variable = variableOf(first, complaint);
    return call.loop({ range, variable: variable.name, ...loop(call, bodies, variable) });
  };
}

function ofTwo(loop: (call: Expander, bodies: readonly Expression[], variables: Variables) => Loop): Expand {
  return (call, range, [first, second, ...bodies]) => {
    const complaint = "argument must be a simple name";
    const [variable, value] = [variableOf(first, complaint), variableOf(second, complaint)];
    if (variable.name === value.name) {
      const text = `duplicate variable name: ${variable.name}`;
      throw new ExpressionProblem([{ text, offset: value.offset }]);
    }
    const variables = { variable: variable.name, secondVariable: value.name };
    return call.loop({ range, ...variables, ...loop(call, bodies, variables) });
  };
}

function variableOf(expression: Expression | undefined, complaint: string): Identifier {
  const offset = expression?.offset ?? 0;
  if (expression?.kind !== "identifier") throw new ExpressionProblem([{ text: complaint, offset }]);
  if (expression.name !== "__result__") return expression;
  const text = "iteration variable overwrites accumulator variable";
  throw new ExpressionProblem([{ text, offset }]);
}

function first(bodies: readonly Expression[]): Expression {
  return filtered(bodies.slice(0, 1))[0];
}

/** `x.optMap(v, e)`: the value of `e` if there is one of `x`, again as an optional one. */
function optional(name: string, isFlat: boolean): Expand {
  return (call, target, [variable, body]) => {
    const { name: bound } = variableOf(variable, `${name}() variable name must be a simple identifier`);
    const value = call.bind(bound, call.memberCall("value", target), first(body === undefined ? [] : [body]));
    const hasValue = call.memberCall("hasValue", target);
    const some = isFlat ? value : call.call("optional.of", value);
    return call.call("_?_:_", hasValue, some, call.call("optional.none"));
  };
}

const sortInput = "@__sortBy_input__";

const sortBy: Expand = (call, target, args) => {
  const [variable, key] = args;
  const { name } = variableOf(variable, "argument is not an identifier");
  const input = call.identifier(sortInput);
  const keys = call.loop({
    range: input,
    variable: name,
    ...mapped(call, key === undefined ? [] : [key]),
  });
  return call.bind(sortInput, target, call.memberCall("@sortByAssociatedKeys", input, keys));
};

const notIdentifier = "argument is not an identifier";

const macros: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ["all:2", ofOne((call, bodies) => all(call, first(bodies)))],
  ["exists:2", ofOne((call, bodies) => exists(call, first(bodies)))],
  ["exists_one:2", ofOne((call, bodies) => existsOne(call, first(bodies)))],
  ["map:2", ofOne(mapped, notIdentifier)],
  ["map:3", ofOne(mapped, notIdentifier)],
  ["filter:2", ofOne((call, bodies, variable) => mapped(call, [first(bodies), variable]), notIdentifier)],
  ["all:3", ofTwo((call, bodies) => all(call, first(bodies)))],
  ["exists:3", ofTwo((call, bodies) => exists(call, first(bodies)))],
  ["existsOne:3", ofTwo((call, bodies) => existsOne(call, first(bodies)))],
  ["exists_one:3", ofTwo((call, bodies) => existsOne(call, first(bodies)))],
  ["transformList:3", ofTwo(mapped)],
  ["transformList:4", ofTwo(mapped)],
  ["transformMap:3", ofTwo((call, bodies, { variable }) => transformedMap(call, bodies, variable))],
  ["transformMap:4", ofTwo((call, bodies, { variable }) => transformedMap(call, bodies, variable))],
  ["transformMapEntry:3", ofTwo(transformedEntries)],
  ["transformMapEntry:4", ofTwo(transformedEntries)],
  ["optMap:2", optional("optMap", false)],
  ["optFlatMap:2", optional("optFlatMap", true)],
  ["sortBy:2", sortBy],
]);
