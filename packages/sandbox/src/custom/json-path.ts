import { isRecord } from "@keelson/core";

/** Finds what a path leads to, all of it; empty if nothing. */
export type JsonPath = (root: unknown) => readonly unknown[];

type Step = (value: unknown) => readonly unknown[];

/**
 * The part of JSONPath that columns of custom resources use: `.spec.replicas`, `.metadata.labels.a\.b`,
 * `.metadata.annotations['a.b/c']`, `.spec.list[0]`, `[*]`, `[1:3]`, `..name`, `[?(@.type=="Ready")].status`. Undefined
 * for what it does not understand.
 */
export function parseJsonPath(path: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== "") {
    const parsed = parseStep(rest);
    if (parsed === undefined) return undefined;
    steps.push(parsed.step);
    rest = rest.slice(parsed.length);
  }
  return (root) => steps.reduce((values: readonly unknown[], step) => values.flatMap(step), [root]);
}

interface ParsedStep {
  readonly step: Step;
  readonly length: number;
}

function parseStep(rest: string): ParsedStep | undefined {
  const [recursive, deepName] = /^\.\.((?:[^.[\]\\]|\\.)+)/.exec(rest) ?? [];
  if (recursive !== undefined && deepName !== undefined) {
    return { step: (value) => descendants(value, unescaped(deepName)), length: recursive.length };
  }
  const [dotted, name] = /^\.((?:[^.[\]\\]|\\.)*)/.exec(rest) ?? [];
  if (dotted !== undefined && name !== undefined) {
    if (name === "") return { step: (value) => [value], length: dotted.length };
    return { step: name === "*" ? allOf : (value) => fieldOf(value, unescaped(name)), length: dotted.length };
  }
  const bracketed = bracketOf(rest);
  const step = bracketed === undefined ? undefined : bracketStep(bracketed.slice(1, -1).trim());
  return bracketed === undefined || step === undefined ? undefined : { step, length: bracketed.length };
}

/** The bracket at the beginning, whatever brackets and quotes it holds. */
function bracketOf(rest: string): string | undefined {
  return /^\[(?:[^[\]'"]|'[^']*'|"[^"]*"|\[[^\]]*\])*\]/.exec(rest)?.[0];
}

function bracketStep(inside: string): Step | undefined {
  if (inside === "*") return allOf;
  if (/^-?\d+$/.test(inside)) return (value) => itemAt(value, Number(inside));
  const [slice, from = "", to = ""] = /^(-?\d*):(-?\d*)$/.exec(inside) ?? [];
  if (slice !== undefined) {
    return (value) =>
      Array.isArray(value)
        ? value.slice(Number(from === "" ? 0 : from), to === "" ? undefined : Number(to))
        : [];
  }
  const [, quoted] = /^['"](.*)['"]$/s.exec(inside) ?? [];
  if (quoted !== undefined) return (value) => fieldOf(value, quoted);
  const [, condition] = /^\?\((.*)\)$/s.exec(inside) ?? [];
  return condition === undefined ? undefined : filterStep(condition.trim());
}

function filterStep(condition: string): Step | undefined {
  const [, left = "", operator, right = ""] =
    /^@(.*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.*))?$/s.exec(condition) ?? [];
  const path = condition.startsWith("@") ? parseJsonPath(left) : undefined;
  if (path === undefined) return undefined;
  const wanted = literalOf(right);
  const matches = (item: unknown): boolean => {
    const [found] = path(item);
    return operator === undefined ? found !== undefined : compares(found, operator, wanted);
  };
  return (value) => (Array.isArray(value) ? value.filter(matches) : []);
}

function literalOf(text: string): unknown {
  const [, quoted] = /^['"](.*)['"]$/s.exec(text) ?? [];
  if (quoted !== undefined) return quoted;
  if (text === "true" || text === "false") return text === "true";
  return Number(text);
}

function compares(found: unknown, operator: string, wanted: unknown): boolean {
  if (typeof found === "bigint") return compares(Number(found), operator, wanted);
  if (operator === "==") return found === wanted;
  if (found === undefined) return false;
  if (operator === "!=") return found !== wanted;
  if (typeof found !== typeof wanted || (typeof found !== "number" && typeof found !== "string"))
    return false;
  const order = Number(found > Object(wanted)) - Number(found < Object(wanted));
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

function unescaped(name: string): string {
  return name.replaceAll(/\\(.)/g, "$1");
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  return isRecord(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function itemAt(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const at = index < 0 ? index + value.length : index;
  return at in value ? [value[at]] : [];
}

function allOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}

function descendants(value: unknown, name: string): readonly unknown[] {
  const inner = typeof value === "object" && value !== null ? Object.values(value) : [];
  return [...fieldOf(value, name), ...inner.flatMap((one) => descendants(one, name))];
}
