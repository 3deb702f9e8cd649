import { failure } from "./library.ts";

/** An expression in the syntax of Go; throws what CEL says of one that is none. */
export function goRegExp(pattern: string, flags: string): RegExp {
  const [, goFlags = "", rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  const source = rest.replaceAll("\\z", "$").replaceAll("\\A", "^").replaceAll("(?P<", "(?<");
  try {
    return new RegExp(source, `${flags}${goFlags}`);
  } catch (cause) {
    throw failure(`Illegal regex: error parsing regexp: \`${pattern}\``, cause);
  }
}
