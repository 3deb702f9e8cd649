import { EvaluationError } from "@marcbachmann/cel-js";

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
