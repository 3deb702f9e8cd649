import type { Environment } from "@marcbachmann/cel-js";
import { type Budget, failure, type Library } from "./library.ts";

/**
 * Comprehensions that name the index or key as well as the value: `list.all(i, v, …)`, `map.transformMap(k, v, …)`.
 * The evaluator has a hook for macros of its users; these are the parts of it that are needed.
 */
interface Node {
  readonly op: string;
  readonly args: unknown;
}

interface Scope {
  forkWithVariable(name: string, type: unknown): Scope;
  reuse(parent: Scope): Scope;
  setIterValue(value: unknown, evaluator: unknown): Scope;
}

interface Checker {
  readonly dynType: unknown;
  check(node: Node, scope: Scope): Type;
  getType(name: string): unknown;
}

interface Type {
  readonly kind: string;
  readonly keyType?: unknown;
  readonly valueType?: unknown;
}

interface Evaluator {
  run(node: Node, scope: Scope): unknown;
}

interface Macro {
  readonly receiver: Node;
  readonly first: string;
  readonly second: string;
  readonly bodies: readonly Node[];
  outer?: Scope;
  inner?: Scope;
}

export function twoVariableLibrary(budget: Budget): Library {
  return (environment) => {
    for (const [signature, type, make] of macros) define(environment, signature, type, make, budget);
  };
}

/** Makes, for one evaluation, what takes the elements one by one. */
type MakeFold = () => {
  take(key: unknown, body: (index: number) => unknown): boolean;
  result(): unknown;
};

const macros: readonly (readonly [signature: string, type: string, make: MakeFold])[] = [
  ["all(ast, ast, ast): bool", "bool", () => quantifier(false, true)],
  ["exists(ast, ast, ast): bool", "bool", () => quantifier(true, false)],
  ["existsOne(ast, ast, ast): bool", "bool", existsOne],
  ["exists_one(ast, ast, ast): bool", "bool", existsOne],
  ["transformList(ast, ast, ast): list<dyn>", "list<dyn>", () => listFold(false)],
  ["transformList(ast, ast, ast, ast): list<dyn>", "list<dyn>", () => listFold(true)],
  ["transformMap(ast, ast, ast): map<dyn, dyn>", "map<dyn, dyn>", () => mapFold(false)],
  ["transformMap(ast, ast, ast, ast): map<dyn, dyn>", "map<dyn, dyn>", () => mapFold(true)],
];

function quantifier(stopsAt: boolean, otherwise: boolean): ReturnType<MakeFold> {
  let error: unknown;
  let isDecided = false;
  return {
    take(_key, body) {
      try {
        isDecided = body(0) === stopsAt;
      } catch (caught) {
        error ??= caught;
      }
      return isDecided;
    },
    result() {
      if (!isDecided && error !== undefined) throw error;
      return isDecided ? stopsAt : otherwise;
    },
  };
}

function existsOne(): ReturnType<MakeFold> {
  let count = 0;
  return {
    take(_key, body) {
      if (body(0) === true) count++;
      return false;
    },
    result: () => count === 1,
  };
}

function listFold(isFiltered: boolean): ReturnType<MakeFold> {
  const values: unknown[] = [];
  return {
    take(_key, body) {
      if (!isFiltered) values.push(body(0));
      else if (body(0) === true) values.push(body(1));
      return false;
    },
    result: () => values,
  };
}

function mapFold(isFiltered: boolean): ReturnType<MakeFold> {
  const values = new Map<unknown, unknown>();
  return {
    take(key, body) {
      if (!isFiltered) values.set(key, body(0));
      else if (body(0) === true) values.set(key, body(1));
      return false;
    },
    result: () =>
      [...values.keys()].every((key) => typeof key === "string") ? Object.fromEntries(values) : values,
  };
}

function define(
  environment: Environment,
  signature: string,
  type: string,
  make: MakeFold,
  budget: Budget,
): void {
  const expand = ({
    args,
    receiver,
  }: {
    readonly args: readonly Node[];
    readonly receiver: Node;
  }): object => {
    const [first, second, ...bodies] = args;
    const macro: Macro = { receiver, first: nameOf(first), second: nameOf(second), bodies };
    return {
      ...macro,
      async: false,
      typeCheck(checker: Checker, self: Macro, scope: Scope) {
        const [keyType, valueType] = elementTypes(checker.check(receiver, scope), checker);
        self.outer = scope.forkWithVariable(self.first, keyType);
        self.inner = self.outer.forkWithVariable(self.second, valueType);
        for (const body of bodies) checker.check(body, self.inner);
        return checker.getType(type);
      },
      evaluate: (evaluator: Evaluator, self: Macro, scope: Scope) =>
        run(evaluator, self, scope, make(), budget),
    };
  };
  environment.registerFunction(`list.${signature}`, expand);
}

function run(
  evaluator: Evaluator,
  { receiver, outer, inner, bodies }: Macro,
  scope: Scope,
  fold: ReturnType<MakeFold>,
  budget: Budget,
): unknown {
  for (const [key, value] of elementsOf(evaluator.run(receiver, scope))) {
    budget.spend(bodies.length + 1);
    if (outer === undefined || inner === undefined) break;
    const named = outer.reuse(scope).setIterValue(key, evaluator);
    const both = inner.reuse(named).setIterValue(value, evaluator);
    const isDone = fold.take(key, (index) => {
      const body = bodies[index];
      return body === undefined ? undefined : evaluator.run(body, both);
    });
    if (isDone) break;
  }
  return fold.result();
}

function elementTypes(type: Type, checker: Checker): readonly [unknown, unknown] {
  if (type.kind === "list") return [checker.getType("int"), type.valueType];
  return type.kind === "map" ? [type.keyType, type.valueType] : [checker.dynType, checker.dynType];
}

function elementsOf(range: unknown): Iterable<readonly [unknown, unknown]> {
  if (Array.isArray(range)) return range.map((value, index) => [BigInt(index), value] as const);
  if (range instanceof Map) return range;
  if (typeof range === "object" && range !== null) return Object.entries(range);
  throw failure("no such overload");
}

function nameOf(node: Node | undefined): string {
  if (node?.op === "id" && typeof node.args === "string") return node.args;
  throw failure("argument must be a simple name");
}
