import { isNode, type SyntaxNode } from "../syntax-tree.ts";
import {
  type EntrySizes,
  type Estimate,
  type Estimator,
  exactly,
  type LocalVariables,
  product,
  sum,
} from "./estimate.ts";

export interface MacroCall {
  readonly name: string;
  readonly receiver: SyntaxNode;
  readonly args: readonly unknown[];
  readonly type: string;
}

interface Loop {
  /** Before the first round and after the last. */
  readonly fixed: number;
  /** Beside what the parts of the macro cost. */
  readonly perRound: number;
}

/** What the loops cost that macros stand for: their variable, their condition, their step and their result. */
const loops: Readonly<Record<string, Loop>> = {
  all: { fixed: 1, perRound: 3 },
  exists: { fixed: 1, perRound: 4 },
  exists_one: { fixed: 2, perRound: 2 },
  existsOne: { fixed: 2, perRound: 2 },
  map: { fixed: 11, perRound: 12 },
  filter: { fixed: 11, perRound: 13 },
  transformList: { fixed: 11, perRound: 12 },
  transformMap: { fixed: 31, perRound: 3 },
  transformMapEntry: { fixed: 31, perRound: 2 },
};

/** Undefined for calls that are no macros. */
export function comprehensionCost(
  estimator: Estimator,
  call: MacroCall,
  locals: LocalVariables,
): Estimate | undefined {
  const { name, receiver, args, type } = call;
  if (name === "optMap" || name === "optFlatMap") return optionalCost(estimator, call, locals);
  const loop = Object.hasOwn(loops, name) ? loops[name] : undefined;
  const variables = variablesOf(name, args);
  if (loop === undefined || variables.length === 0) return undefined;
  const range = estimator.estimate(receiver, locals);
  const inner: LocalVariables = new Map([...locals, ...declared(range, variables)]);
  const bodies = args.slice(variables.length).map((body) => estimator.estimate(body, inner));
  const rounds = estimator.sizeOf(range);
  const perRound = sum(loop.perRound, ...bodies.map(({ cost }) => cost));
  const makesContainer = loop.fixed > 10;
  const element = name === "filter" ? estimator.estimate(args[0], inner) : bodies.at(-1);
  const ofElement = element && estimator.sizeOf(element);
  const entries: EntrySizes | undefined =
    makesContainer && ofElement !== undefined ? { key: exactly(1), value: ofElement } : undefined;
  return {
    cost: sum(range.cost, loop.fixed, product(rounds.max, perRound)),
    type,
    path: [],
    size: makesContainer ? { min: 0, max: rounds.max } : exactly(1),
    entries,
  };
}

/** Macros of two variables have one name more before their parts. */
function variablesOf(name: string, args: readonly unknown[]): readonly string[] {
  const [first, second] = args;
  if (!isIdentifier(first)) return [];
  const takesTwo = name.startsWith("transform") || (name !== "map" && args.length === 3);
  if (!takesTwo) return args.length >= 2 ? [String(first.args)] : [];
  return isIdentifier(second) ? [String(first.args), String(second.args)] : [];
}

function isIdentifier(node: unknown): node is SyntaxNode {
  return isNode(node) && node.op === "id";
}

function declared(
  { path, type }: Estimate,
  [first = "", second]: readonly string[],
): readonly (readonly [string, readonly string[]])[] {
  const isList = type.startsWith("list");
  const key = [...path, isList ? "@indices" : "@keys"];
  const value = [...path, isList ? "@items" : "@values"];
  if (second === undefined) return [[first, isList ? value : key]];
  return [
    [first, key],
    [second, value],
  ];
}

/** `x.optMap(v, e)` tests whether a value exists, and binds it. */
function optionalCost(estimator: Estimator, call: MacroCall, locals: LocalVariables): Estimate {
  const { name, receiver, args, type } = call;
  const [variable, body] = args;
  const target = estimator.estimate(receiver, locals);
  const inner: LocalVariables = isIdentifier(variable)
    ? new Map([...locals, [String(variable.args), []]])
    : locals;
  const ofBody = estimator.estimate(body, inner).cost;
  const wraps = name === "optMap" ? 1 : 0;
  const cost = sum(target.cost, 1, wraps, 10, target.cost, 1, ofBody);
  return { cost, type, path: [], size: undefined, entries: undefined };
}
