import { goPattern } from "../../schema/go-pattern.ts";
import { failure } from "./library.ts";

/** An expression in the syntax of Go; throws what CEL says of one that is none. */
export function goRegExp(pattern: string, flags: string): RegExp {
  try {
    const { source, flags: own } = goPattern(pattern);
    return new RegExp(source, `${own}${flags}`);
  } catch (cause) {
    throw failure(`Illegal regex: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}
