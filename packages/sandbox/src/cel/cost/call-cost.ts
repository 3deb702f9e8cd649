import { product, type Size, scaled, sum, together, unknownSize } from "./estimate.ts";

/** An argument, or the receiver, of a call. */
export interface Operand {
  /** The name of its type. */
  readonly type: string;
  readonly size: Size;
  /** Of lists whose elements are known. */
  readonly elementSize: Size | undefined;
}

export interface CallCost {
  readonly cost: number;
  /** Of the result, where the call decides it. */
  readonly size?: Size;
}

/** Going through a text costs a tenth of a step per character. */
const perCharacter = 0.1;
/** An expression of a pattern is guessed to have four characters. */
const perPatternCharacter = 0.25;
const mostPatternOfFormat = 128;
const ofAddress: Size = { min: 4, max: 16 };

type Coster = (operands: readonly Operand[], hasReceiver: boolean) => CallCost | undefined;

const traversal: Coster = ([one]) => one && { cost: scaled(one.size.max, perCharacter) };
const sameSize: Coster = ([one]) => one && { cost: scaled(one.size.max, perCharacter), size: one.size };
const ofSecond: Coster = ([, other]) => other && { cost: scaled(other.size.max, perCharacter) };
const twice: Coster = ([one]) => one && { cost: scaled(one.size.max, 2 * perCharacter) };
const setProduct =
  (factor: number): Coster =>
  ([one, other]) =>
    one && other && { cost: sum(1, scaled(product(one.size.max, other.size.max), factor)) };

const overElements: Coster = ([list]) => {
  if (list === undefined) return undefined;
  if (!list.type.startsWith("list")) return { cost: scaled(list.size.max, perCharacter) };
  const isText = /^list<(string|bytes)>$/.test(list.type);
  const perElement = isText ? 1 + scaled((list.elementSize ?? unknownSize).max, perCharacter) : 1;
  return { cost: product(list.size.max, perElement) };
};

const pattern = (text: Size, patternLength: number): number =>
  product(scaled(sum(text.max, 1), perCharacter), scaled(patternLength, perPatternCharacter));

/** What calls cost beyond one step, by the name of the function; receivers are the first operand. */
const costers: Readonly<Record<string, Coster>> = {
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
  cidr: traversal,
  isIP: traversal,
  isCIDR: traversal,
  isURL: () => undefined,
  quantity: traversal,
  isQuantity: traversal,
  semver: traversal,
  isSemver: traversal,
  format: traversal,
  "ip.isCanonical": twice,
  "sets.contains": setProduct(1),
  "sets.intersects": setProduct(1),
  "sets.equivalent": setProduct(2),
  ip: (operands, hasReceiver) => (hasReceiver ? undefined : traversal(operands, hasReceiver)),
  matches: ([text, regex]) => text && regex && { cost: pattern(text.size, regex.size.max) },
  find: ([text, regex]) =>
    text && regex && { cost: pattern(text.size, regex.size.max), size: { min: 0, max: text.size.max } },
  findAll: ([text, regex]) =>
    text && regex && { cost: pattern(text.size, regex.size.max), size: { min: 0, max: text.size.max } },
  validate: ([, text]) => text && { cost: pattern(text.size, mostPatternOfFormat) },
  contains: ([text, part]) =>
    text &&
    part && { cost: product(scaled(text.size.max, perCharacter), scaled(part.size.max, perCharacter)) },
  split: ([text]) =>
    text && { cost: scaled(text.size.max, 2 * perCharacter), size: { min: 0, max: text.size.max } },
  replace: ([text, old, next]) =>
    text &&
    old &&
    next && {
      cost: scaled(text.size.max, 2 * perCharacter),
      size: { min: 0, max: longestReplaced(text.size, old.size, next.size) },
    },
  join([list, separator]) {
    if (list === undefined) return undefined;
    const ofElements = product(list.size.max, (list.elementSize ?? unknownSize).max);
    const ofSeparators = product(separator?.size.max ?? 0, Math.max(0, list.size.max - 1));
    const size = { min: 0, max: sum(ofElements, ofSeparators) };
    return { cost: scaled(size.max, perCharacter), size };
  },
  "strings.quote": ([text]) =>
    text && {
      cost: scaled(text.size.max, perCharacter),
      size: { min: text.size.min + 2, max: sum(product(text.size.max, 2), 2) },
    },
  bytes: ([text]) =>
    text?.type === "string"
      ? {
          cost: scaled(text.size.max, perCharacter),
          size: { ...text.size, max: product(text.size.max, 4) },
        }
      : undefined,
  string: ([given]) =>
    given?.type === "bytes"
      ? {
          cost: scaled(given.size.max, perCharacter),
          size: { ...given.size, min: Math.floor(given.size.min / 4) },
        }
      : undefined,
  containsIP: ([, other]) => ({
    cost: sum(
      scaled(2 * ofAddress.max, perCharacter),
      other?.type === "string" ? scaled(other.size.max, perCharacter) : 0,
    ),
  }),
  containsCIDR: ([, other]) => ({
    cost: sum(
      scaled(2 * ofAddress.max, perCharacter) + scaled(ofAddress.max, perCharacter) + 1,
      other?.type === "string" ? scaled(other.size.max, perCharacter) : 0,
    ),
  }),
  check: () => ({ cost: 350_000 }),
};

function longestReplaced(text: Size, old: Size, next: Size): number {
  if (old.min === 0) return sum(product(sum(text.max, 1), next.max), text.max);
  if (next.max <= old.min) return text.max;
  return product(Math.ceil(text.max / old.min), next.max);
}

/** What a call costs, without its operands. Most take one step. */
export function callCost(name: string, operands: readonly Operand[], hasReceiver: boolean): CallCost {
  const coster = Object.hasOwn(costers, name) ? costers[name] : undefined;
  return coster?.(operands, hasReceiver) ?? { cost: 1 };
}

const compared: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

/** What an operator costs, without its operands. */
export function operatorCost(operator: string, left: Operand, right: Operand): CallCost {
  const smaller = scaled(Math.min(left.size.max, right.size.max), perCharacter);
  if (operator === "==" || operator === "!=") return { cost: smaller };
  const isText = left.type === "string" || left.type === "bytes";
  if (compared.has(operator)) {
    if (left.type === "dyn") return { cost: Math.max(1, smaller) };
    return { cost: isText ? smaller : 1 };
  }
  if (operator === "in") return { cost: right.type.startsWith("list") ? right.size.max : 1 };
  if (operator !== "+") return { cost: 1 };
  const size = together(left.size, right.size);
  if (isText) return { cost: scaled(size.max, perCharacter), size };
  if (left.type.startsWith("list")) return { cost: 1, size };
  return left.type === "dyn" ? { cost: Math.max(1, scaled(size.max, perCharacter)), size } : { cost: 1 };
}
