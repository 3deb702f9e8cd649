import { EvaluationError } from "@marcbachmann/cel-js";
import { checkedHas, knownFunctions } from "./environment.ts";
import { isNode, nodesOf, type SyntaxNode } from "./syntax-tree.ts";

/** What the checker threw, as far as it says. */
export interface CheckError {
  readonly code: string;
  readonly summary: string;
  readonly node?: unknown;
  readonly range?: { readonly start: number; readonly end: number };
}

interface Finding {
  readonly text: string;
  /** Where in the expression, from 0. */
  readonly offset: number;
}

const whatMayFollow =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** `ERROR: <input>:1:5: undefined field 'foo'` with the line and a mark below it, as the real server shows it. */
export function compileProblem(expression: string, error: CheckError, tree?: SyntaxNode): string {
  return findings(expression, error, tree)
    .map(({ text, offset }) => {
      const before = expression.slice(0, offset);
      const line = before.split("\n").length;
      const column = offset - (before.lastIndexOf("\n") + 1);
      const source = expression.split("\n")[line - 1] ?? "";
      return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${source}\n | ${".".repeat(column)}^`;
    })
    .join("\n");
}

function findings(expression: string, error: CheckError, tree: SyntaxNode | undefined): readonly Finding[] {
  const node = isNode(error.node) ? error.node : undefined;
  const start = error.range?.start ?? 0;
  if (node === undefined || tree === undefined) return syntaxFindings(expression, error, start);
  const text = checkText(error, node, tree);
  return [{ text: text ?? error.summary, offset: placeOf(expression, error, node, tree) }];
}

function syntaxFindings(
  expression: string,
  { code, summary }: CheckError,
  start: number,
): readonly Finding[] {
  const atEnd = {
    text: `Syntax error: mismatched input '<EOF>' expecting ${whatMayFollow}`,
    offset: expression.length,
  };
  if (code === "unterminated_string") {
    const text = `Syntax error: token recognition error at: '${expression.slice(start)}'`;
    return [{ text, offset: start }, atEnd];
  }
  if (code === "unexpected_token" && summary.endsWith("EOF")) return [atEnd];
  if (code === "unexpected_character" || code === "unexpected_token") {
    const [token = ""] = /^(\w+|.)/s.exec(expression.slice(start)) ?? [];
    return [{ text: `Syntax error: mismatched input '${token}' expecting ${whatMayFollow}`, offset: start }];
  }
  const dot = expression.lastIndexOf(".", start - 1);
  const isAfterDot = dot >= 0 && expression.slice(dot + 1, start).trim() === "";
  if (isAfterDot && summary.startsWith("Expected IDENTIFIER")) return [noName(expression, dot, start)];
  return [{ text: `Syntax error: ${summary}`, offset: start }];
}

/** After a dot comes a name; with digits it is read as a number. */
function noName(expression: string, dot: number, start: number): Finding {
  const [number] = /^\.\d+/.exec(expression.slice(dot)) ?? [];
  if (number !== undefined) {
    return { text: `Syntax error: extraneous input '${number}' expecting <EOF>`, offset: dot };
  }
  const [token = ""] = /^([=!<>]=|&&|\|\||.)/s.exec(expression.slice(start)) ?? [];
  const input = `${expression.slice(dot, start)}${token}`;
  return { text: `Syntax error: no viable alternative at input '${input}'`, offset: start };
}

function checkText({ code, summary }: CheckError, node: SyntaxNode, tree: SyntaxNode): string | undefined {
  switch (code) {
    case "unknown_variable":
      return `undeclared reference to '${String(node.args)}' (in container '')`;
    case "no_such_key":
      return `undefined field '${summary.replace("No such key: ", "")}'`;
    case "cannot_index_type":
      return `type '${typeOf(childrenOf(node)[0])}' does not support field selection`;
    case "no_such_overload":
    case "invalid_logical_operand":
      return `found no matching overload for '${operatorName(node)}' applied to '(${typesOf(node)})'`;
    case "invalid_condition_type":
    case "incompatible_ternary_branches": {
      const ternary = node.op === "?:" ? node : parentOf(tree, node);
      return `found no matching overload for '_?_:_' applied to '(${typesOf(ternary ?? node)})'`;
    }
    case "no_matching_overload":
      return callText(node);
    case "heterogeneous_list_element":
    case "heterogeneous_map_key":
    case "heterogeneous_map_value":
      return summary.slice(summary.indexOf("expected type"));
    default:
      return undefined;
  }
}

function callText(node: SyntaxNode): string {
  const [name, ...rest] = Array.isArray(node.args) ? node.args : [];
  if (!knownFunctions.has(name)) return `undeclared reference to '${name}' (in container '')`;
  const types = childrenOf(rest.at(-1)).map(typeOf).join(", ");
  const receiver = node.op === "rcall" ? `${typeOf(rest[0])}.` : "";
  return `found no matching overload for '${name}' applied to '${receiver}(${types})'`;
}

function childrenOf(node: unknown): readonly unknown[] {
  if (Array.isArray(node)) return node;
  if (!isNode(node)) return [];
  return Array.isArray(node.args) ? node.args : [node.args];
}

function typesOf(node: SyntaxNode): string {
  return childrenOf(node).map(typeOf).join(", ");
}

const typeNames: Readonly<Record<string, string>> = {
  "google.protobuf.Timestamp": "timestamp",
  "google.protobuf.Duration": "duration",
};

function typeOf(node: unknown): string {
  const name = isNode(node) ? (node.checkedType?.name ?? "dyn") : "dyn";
  return name
    .replaceAll(/google\.protobuf\.\w+/g, (type) => typeNames[type] ?? type)
    .replaceAll("optional<", "optional_type(")
    .replaceAll("<", "(")
    .replaceAll(">", ")");
}

function operatorName({ op }: SyntaxNode): string {
  if (op === "in") return "@in";
  return op.endsWith("_") ? `${op}` : `_${op}_`;
}

function parentOf(tree: SyntaxNode, child: SyntaxNode): SyntaxNode | undefined {
  return nodesOf(tree).find((node) => childrenOf(node).includes(child));
}

/** Where the real server marks a node: at its operator, its dot, or the parenthesis of its call. */
function placeOf(
  expression: string,
  { code, range }: CheckError,
  node: SyntaxNode,
  tree: SyntaxNode,
): number {
  const [first, second] = childrenOf(node);
  if (code === "no_such_key" || code === "cannot_index_type") {
    const caller = nodesOf(tree).find(
      ({ op, args }) =>
        op === "call" && Array.isArray(args) && args[0] === checkedHas && childrenOf(args[1]).includes(node),
    );
    if (caller !== undefined) return expression.indexOf("(", caller.start);
    return Math.max(0, expression.lastIndexOf(".", range?.start ?? node.start));
  }
  if (code === "invalid_condition_type") return expression.indexOf("?", node.end);
  if (node.op === "?:" && isNode(first)) return expression.indexOf("?", first.end);
  if (node.op === "call") return expression.indexOf("(", node.start);
  if (node.op === "rcall" && isNode(second)) {
    return expression.indexOf("(", expression.indexOf(`${String(first)}`, second.end));
  }
  if (isNode(first) && isNode(second)) return Math.max(0, expression.indexOf(node.op, first.end));
  return node.start;
}

/** Why an expression gave no result, as CEL says it in the real server. */
export function evaluationProblem(error: unknown): string {
  if (!(error instanceof EvaluationError)) return error instanceof Error ? error.message : String(error);
  const { code, summary } = error;
  switch (code) {
    case "no_such_key":
      return summary.replace("No such key", "no such key");
    case "index_out_of_bounds":
      return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ""}`;
    case "numeric_overflow":
      return "integer overflow";
    case "modulo_by_zero":
      return "modulus by zero";
    case "no_such_overload":
    case "no_matching_overload":
    case "invalid_logical_operand":
    case "invalid_condition_type":
    case "variable_type_mismatch":
    case "invalid_comprehension_range":
    case "field_type_mismatch":
    case "list_item_type_mismatch":
      return "no such overload";
    case "int_conversion_error":
      return "type conversion error from 'string' to 'int'";
    case "double_conversion_error":
      return "type conversion error from 'string' to 'double'";
    case "bool_conversion_error":
      return "type conversion error from 'string' to 'bool'";
    case "invalid_duration":
      return "type conversion error from 'string' to 'google.protobuf.Duration'";
    case "invalid_timestamp":
      return "type conversion error from 'string' to 'google.protobuf.Timestamp'";
    case "unknown_variable":
      return `no such attribute(s): ${summary.replace("Unknown variable: ", "")}`;
    default:
      return summary;
  }
}
