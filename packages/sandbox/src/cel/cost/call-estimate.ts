import type { CelType } from "../language/cel-type.ts";
import { accessCost, listCost, perCharacter, perPatternCharacter } from "./call-cost.ts";
import { either, exactly, product, type Size, scaled, sum, times, together, unknownSize } from "./size.ts";

/** An argument, or the receiver, of a call. */
export interface Operand {
  readonly type: CelType;
  readonly size: Size;
  /** Of lists: undefined where the expression does not say where they come from. */
  readonly elementSize: Size | undefined;
  /** Of a whole number that the expression states. */
  readonly integer: number | undefined;
}

export interface CallEstimate {
  readonly cost: number;
  /** Of the result, where the call decides it. */
  readonly size?: Size;
}

type Coster = (operands: readonly Operand[]) => CallEstimate | undefined;

/** What a call may cost at most beyond its operands, of which a receiver is the first. */
export function estimateCall(name: string, operands: readonly Operand[]): CallEstimate {
  return costers[name]?.(operands) ?? { cost: 1 };
}

/** Of values without a known type, the most expensive that they can be counts. */
const mayBe =
  (...names: readonly string[]) =>
  ({ type }: Operand): boolean =>
    type.kind === "dyn" || names.includes(type.name);
const mayBeText = mayBe("string", "bytes");

const traversal =
  (factor: number): Coster =>
  ([one]) =>
    one && { cost: scaled(one.size.max, factor * perCharacter) };
const once = traversal(1);
const sameSize: Coster = ([one]) => one && { cost: scaled(one.size.max, perCharacter), size: one.size };
const ofSecond: Coster = ([, other]) => other && { cost: scaled(other.size.max, perCharacter) };

const setProduct =
  (factor: number): Coster =>
  ([one, other]) =>
    one && other && { cost: sum(1, scaled(product(one.size.max, other.size.max), factor)) };

const overElements: Coster = ([list]) => {
  if (list === undefined) return undefined;
  const [element] = list.type.parameters;
  if (element === undefined) return { cost: scaled(list.size.max, perCharacter) };
  const isOfTexts = element.name === "string" || element.name === "bytes";
  const perElement = isOfTexts ? sum(1, scaled((list.elementSize ?? unknownSize).max, perCharacter)) : 1;
  return { cost: product(list.size.max, perElement) };
};

const patternCost = (text: Size, pattern: Size): number =>
  product(scaled(sum(text.max, 1), perCharacter), scaled(pattern.max, perPatternCharacter));

const found: Coster = ([text, pattern]) =>
  text && pattern && { cost: patternCost(text.size, pattern.size), size: { min: 0, max: text.size.max } };

const comparison: Coster = ([one, other]) =>
  one && other && { cost: scaled(Math.min(one.size.max, other.size.max), perCharacter) };

const textComparison: Coster = (operands) => (operands.every(mayBeText) ? comparison(operands) : undefined);

/** Types of Kubernetes that are compared in one step. */
const comparedAtOnce: ReadonlySet<string> = new Set([
  ...["net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"],
  ...["Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"].map(
    (name) => `kubernetes.authorization.${name}`,
  ),
]);
const mostOfFormat = 64;

const equality: Coster = (operands) => {
  const [one, other] = operands;
  if (one === undefined || other === undefined || one.type.name !== other.type.name)
    return comparison(operands);
  if (comparedAtOnce.has(one.type.name)) return { cost: 1 };
  if (one.type.name === "kubernetes.NamedFormat") return { cost: scaled(mostOfFormat, perCharacter) };
  if (one.type.name === "kubernetes.URL") return { cost: scaled(other.size.max, perCharacter) };
  return comparison(operands);
};

/** A list is made, and gone through `factor` times. */
function newList(size: Size, factor = 1): CallEstimate {
  return { cost: sum(scaled(size.max, factor), 1, listCost), size };
}

const selfComparison =
  (at: number): Coster =>
  (operands) => {
    const list = operands[at];
    if (list === undefined) return undefined;
    const isOfTexts = ["string", "bytes"].includes(list.type.parameters[0]?.name ?? "");
    return newList(times(list.size, list.size), isOfTexts ? 2 + perCharacter : 2);
  };

/** As many characters as the patterns of named formats are guessed to have at most. */
const mostPatternOfFormat = 128;
const addressSize = 16;

const containment =
  (fixed: number): Coster =>
  ([, other]) => ({
    cost: sum(fixed, other?.type.name === "string" ? scaled(other.size.max, perCharacter) : 0),
  });

const costers: Readonly<Record<string, Coster>> = {
  check: () => ({ cost: accessCost }),
  isSorted: overElements,
  sum: overElements,
  max: overElements,
  min: overElements,
  indexOf: overElements,
  lastIndexOf: overElements,
  url: sameSize,
  lowerAscii: sameSize,
  upperAscii: sameSize,
  substring: sameSize,
  trim: sameSize,
  startsWith: ofSecond,
  endsWith: ofSecond,
  cidr: once,
  isIP: once,
  isCIDR: once,
  quantity: once,
  isQuantity: once,
  semver: once,
  isSemver: once,
  format: once,
  "ip.isCanonical": traversal(2),
  ip: (operands) => (operands[0]?.type.name === "net.CIDR" ? undefined : once(operands)),
  matches: ([text, pattern]) => text && pattern && { cost: patternCost(text.size, pattern.size) },
  find: found,
  findAll: found,
  validate: ([, text]) =>
    text && {
      cost: scaled(scaled(text.size.max, perCharacter), mostPatternOfFormat * perPatternCharacter),
    },
  contains: ([text, part]) =>
    text &&
    part && { cost: product(scaled(text.size.max, perCharacter), scaled(part.size.max, perCharacter)) },
  split: ([text, , limit]) =>
    text && {
      cost: scaled(text.size.max, 2 * perCharacter),
      size: { min: 0, max: limit?.integer ?? text.size.max },
    },
  replace: ([text, old, next]) =>
    text &&
    old &&
    next && {
      cost: scaled(text.size.max, 2 * perCharacter),
      size: replacedSize(text.size, old.size, next.size),
    },
  join([list, separator]) {
    if (list === undefined) return undefined;
    const ofElements = times(list.size, list.elementSize ?? unknownSize);
    const gaps = { min: Math.max(0, list.size.min - 1), max: Math.max(0, list.size.max - 1) };
    const size = separator === undefined ? ofElements : together(ofElements, times(separator.size, gaps));
    return { cost: scaled(size.max, perCharacter), size };
  },
  "strings.quote": ([text]) =>
    text && {
      cost: scaled(text.size.max, perCharacter),
      size: { min: text.size.min + 2, max: sum(product(text.size.max, 2), 2) },
    },
  bytes: ([text]) =>
    text && mayBe("string")(text)
      ? { cost: scaled(text.size.max, perCharacter), size: { ...text.size, max: product(text.size.max, 4) } }
      : undefined,
  string: ([given]) =>
    given && mayBe("bytes")(given)
      ? {
          cost: scaled(given.size.max, perCharacter),
          size: { ...given.size, min: Math.floor(given.size.min / 4) },
        }
      : undefined,
  containsIP: containment(scaled(2 * addressSize, perCharacter)),
  containsCIDR: containment(scaled(2 * addressSize, perCharacter) + scaled(addressSize, perCharacter) + 1),
  "@in": ([, container]) =>
    container?.type.kind === "map" ? undefined : container && { cost: container.size.max },
  "_==_": equality,
  "_!=_": comparison,
  "_<_": textComparison,
  "_<=_": textComparison,
  "_>_": textComparison,
  "_>=_": textComparison,
  "_+_"(operands) {
    const [one, other] = operands;
    if (one === undefined || other === undefined) return undefined;
    const size = together(one.size, other.size);
    if (operands.every(mayBeText)) return { cost: scaled(size.max, perCharacter), size };
    return one.type.kind === "list" || one.type.kind === "dyn" ? { cost: 1, size } : undefined;
  },
  slice([list, start, end]) {
    const length = list && (end?.integer ?? list.size.max) - (start?.integer ?? 0);
    // The real server counts without a sign.
    return length === undefined ? undefined : newList(exactly(length < 0 ? unknownSize.max : length));
  },
  reverse: ([list]) => list && newList(list.size),
  "lists.range": ([count]) => count && newList(exactly(count.integer ?? unknownSize.max)),
  flatten: ([list, depth]) =>
    list && newList(list.size, depth === undefined ? 1 : (depth.integer ?? unknownSize.max)),
  distinct: ([list]) => list && newList(times(list.size, list.size), 2),
  sort: selfComparison(0),
  "@sortByAssociatedKeys": selfComparison(1),
  "sets.contains": setProduct(1),
  "sets.intersects": setProduct(1),
  "sets.equivalent": setProduct(2),
};

/** The shortest and the longest text that replacing can give. */
function replacedSize(text: Size, old: Size, next: Size): Size {
  const longest =
    old.min === 0
      ? sum(product(sum(text.max, 1), next.max), text.max)
      : next.max <= old.min
        ? text.max
        : product(Math.ceil(text.max / old.min), next.max);
  const shortest =
    old.max === 0
      ? sum(product(sum(text.min, 1), next.min), text.min)
      : old.max <= next.min
        ? text.min
        : product(Math.ceil(text.min / old.max), next.min);
  return either(exactly(shortest), exactly(longest));
}
