import { checkedHas } from "../environment.ts";
import { isNode, type SyntaxNode } from "../syntax-tree.ts";
import { callCost, type Operand, operatorCost } from "./call-cost.ts";
import { comprehensionCost } from "./comprehension-cost.ts";
import {
  type Estimate,
  type Estimator,
  either,
  exactly,
  type LocalVariables,
  type Size,
  sum,
  unknownSize,
} from "./estimate.ts";
import type { ValueShape } from "./value-shape.ts";

const newListCost = 10;
const newMapCost = 30;

/**
 * The most that an expression about values of a shape may cost, in the units of the real server, so that what it finds
 * too expensive is so here too. The tree is a checked one.
 */
export function estimateCost(tree: SyntaxNode, self: ValueShape): number {
  const estimator: Estimator = {
    estimate: (node, locals) =>
      isNode(node) ? estimateNode(estimator, node, locals, self) : nothing("dyn", 0),
    sizeOf: (estimate) => knownSize(estimate, self) ?? unknownSize,
  };
  return estimator.estimate(tree, new Map()).cost;
}

function nothing(type: string, cost: number): Estimate {
  return { cost, type, path: [], size: undefined, entries: undefined };
}

function knownSize({ size, path, type }: Estimate, self: ValueShape): Size | undefined {
  if (size !== undefined) return size;
  const shape = shapeAt(self, path);
  if (shape !== undefined) return { min: 0, max: shape.maxElements };
  return scalars.has(type) ? exactly(1) : undefined;
}

const scalars: ReadonlySet<string> = new Set([
  ...["bool", "int", "uint", "double", "google.protobuf.Timestamp", "google.protobuf.Duration"],
  ...["optional<bool>", "optional<int>", "optional<uint>", "optional<double>"],
]);

/** Whatever the variable: paths begin at the value itself. */
function shapeAt(self: ValueShape, path: readonly string[]): ValueShape | undefined {
  if (path.length === 0) return undefined;
  return path
    .slice(1)
    .reduce<ValueShape | undefined>(
      (shape, name) =>
        name === "@items" || name === "@values"
          ? shape?.elements
          : name === "@keys"
            ? shape?.keys
            : shape?.fields?.get(name),
      self,
    );
}

function estimateNode(
  estimator: Estimator,
  node: SyntaxNode,
  locals: LocalVariables,
  self: ValueShape,
): Estimate {
  const type = node.checkedType?.name ?? "dyn";
  const args: readonly unknown[] = Array.isArray(node.args) ? node.args : [node.args];
  const [first, second] = args;
  const ofFirst = (): Estimate => estimator.estimate(first, locals);
  switch (node.op) {
    case "value":
      return { ...nothing(type, 0), size: literalSize(first) };
    case "id":
      return identifier(String(first), type, locals);
    case ".": {
      const operand = ofFirst();
      const isLookup = operand.type.startsWith("map<") || isObject(operand.type);
      const path = [...operand.path, String(second)];
      return { ...nothing(type, sum(operand.cost, isLookup ? 1 : 0)), path };
    }
    case "[]":
      return indexed(estimator, args, type, locals);
    case ".?":
      return nothing(type, sum(ofFirst().cost, 1));
    case "[?]":
      return nothing(type, sum(ofFirst().cost, estimator.estimate(second, locals).cost, 1));
    case "list":
      return newList(estimator, args, type, locals);
    case "map":
      return newMap(estimator, args, type, locals);
    case "?:":
      return choice(estimator, args, type, locals);
    case "!_":
    case "-_":
      // A negative number is a literal.
      return isNode(first) && first.op === "value"
        ? { ...nothing(type, node.op === "-_" ? 0 : 1), size: exactly(1) }
        : nothing(type, sum(ofFirst().cost, 1));
    case "call":
    case "rcall":
      return call(estimator, node, locals, self);
    default:
      return operation(estimator, node, locals);
  }
}

function isObject(type: string): boolean {
  return type.startsWith("selfType");
}

function identifier(name: string, type: string, locals: LocalVariables): Estimate {
  return { ...nothing(type, 1), path: locals.get(name) ?? [name] };
}

function literalSize(value: unknown): Size {
  if (typeof value === "string") return exactly([...value].length);
  return exactly(value instanceof Uint8Array ? value.length : 1);
}

function indexed(
  estimator: Estimator,
  [container, key]: readonly unknown[],
  type: string,
  locals: LocalVariables,
): Estimate {
  const operand = estimator.estimate(container, locals);
  const cost = sum(operand.cost, estimator.estimate(key, locals).cost, 1);
  const step = operand.type.startsWith("list") ? "@items" : "@values";
  const isKnown = operand.type.startsWith("list") || operand.type.startsWith("map");
  const path = isKnown ? [...operand.path, step] : [];
  return { cost, type, path, size: operand.entries?.value, entries: undefined };
}

function newList(
  estimator: Estimator,
  elements: readonly unknown[],
  type: string,
  locals: LocalVariables,
): Estimate {
  const estimates = elements.map((element) => estimator.estimate(element, locals));
  return {
    ...nothing(type, sum(newListCost, ...estimates.map(({ cost }) => cost))),
    size: exactly(elements.length),
    entries: { key: exactly(1), value: estimates.map(estimator.sizeOf).reduce(either, nothingYet) },
  };
}

const nothingYet: Size = { min: Number.POSITIVE_INFINITY, max: 0 };

function newMap(
  estimator: Estimator,
  entries: readonly unknown[],
  type: string,
  locals: LocalVariables,
): Estimate {
  const pairs = entries.map((entry) =>
    (Array.isArray(entry) ? entry : []).map((part) => estimator.estimate(part, locals)),
  );
  const sizes = (index: number): Size =>
    pairs
      .flatMap((pair) => pair[index] ?? [])
      .map(estimator.sizeOf)
      .reduce(either, nothingYet);
  return {
    ...nothing(type, sum(newMapCost, ...pairs.flat().map(({ cost }) => cost))),
    size: exactly(entries.length),
    entries: { key: sizes(0), value: sizes(1) },
  };
}

function choice(
  estimator: Estimator,
  args: readonly unknown[],
  type: string,
  locals: LocalVariables,
): Estimate {
  const [condition, one, other] = args.map((arg) => estimator.estimate(arg, locals));
  if (condition === undefined || one === undefined || other === undefined) return nothing(type, 1);
  const entries = one.entries &&
    other.entries && {
      key: either(one.entries.key, other.entries.key),
      value: either(one.entries.value, other.entries.value),
    };
  return {
    ...nothing(type, sum(condition.cost, Math.max(one.cost, other.cost))),
    size: either(estimator.sizeOf(one), estimator.sizeOf(other)),
    entries,
  };
}

function operation(
  estimator: Estimator,
  { op, args, checkedType }: SyntaxNode,
  locals: LocalVariables,
): Estimate {
  const type = checkedType?.name ?? "dyn";
  const [left, right] = (Array.isArray(args) ? args : []).map((arg) => estimator.estimate(arg, locals));
  if (left === undefined || right === undefined) return nothing(type, 1);
  const ofOperands = sum(left.cost, right.cost);
  if (op === "&&" || op === "||") return nothing(type, ofOperands);
  const { cost, size } = operatorCost(op, operandOf(estimator, left), operandOf(estimator, right));
  const entries =
    op === "+" && left.entries && right.entries
      ? {
          key: either(left.entries.key, right.entries.key),
          value: either(left.entries.value, right.entries.value),
        }
      : undefined;
  return { ...nothing(type, sum(cost, ofOperands)), size, entries };
}

function operandOf(estimator: Estimator, estimate: Estimate): Operand {
  const { type, path, entries } = estimate;
  const element: Estimate = {
    ...nothing("dyn", 0),
    path: path.length === 0 ? [] : [...path, "@items"],
    size: entries?.value,
  };
  return {
    type,
    size: estimator.sizeOf(estimate),
    elementSize: type.startsWith("list") ? estimator.sizeOf(element) : undefined,
  };
}

function call(estimator: Estimator, node: SyntaxNode, locals: LocalVariables, self: ValueShape): Estimate {
  const type = node.checkedType?.name ?? "dyn";
  const parts: readonly unknown[] = Array.isArray(node.args) ? node.args : [];
  const name = String(parts[0]);
  const receiver = node.op === "rcall" && isNode(parts[1]) ? parts[1] : undefined;
  const given: unknown = parts.at(-1);
  const args: readonly unknown[] = Array.isArray(given) ? given : [];
  if (receiver === undefined && name === checkedHas) {
    const [field] = args;
    // The access of a field costs no more than its object.
    const operand = isNode(field) && Array.isArray(field.args) ? field.args[0] : field;
    return nothing(type, estimator.estimate(operand, locals).cost);
  }
  if (receiver !== undefined) {
    const macro = comprehensionCost(estimator, { name, receiver, args, type }, locals);
    if (macro !== undefined) return macro;
  }
  const isNamespace = receiver?.checkedType?.name.endsWith("Namespace") === true;
  const operands = [...(receiver === undefined || isNamespace ? [] : [receiver]), ...args].map((one) =>
    estimator.estimate(one, locals),
  );
  const ofOperands = sum(...operands.map((one) => one.cost));
  if (receiver === undefined && name === "dyn" && operands[0] !== undefined) {
    const size = knownSize(operands[0], self);
    return { ...nothing(type, sum(1, ofOperands)), size, entries: operands[0].entries };
  }
  const fullName = isNamespace ? `${String(receiver?.args)}.${name}` : name;
  const hasReceiver = receiver !== undefined && !isNamespace;
  const described = operands.map((one) => operandOf(estimator, one));
  const { cost, size } = callCost(fullName, described, hasReceiver);
  return { ...nothing(type, sum(cost, ofOperands)), size };
}
