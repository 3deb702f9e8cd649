import type { FieldRequirement, FieldSelector } from "@keelson/core";
import { badRequest } from "../../status/api-error.ts";

/**
 * The requirements of a field selector, in the order in which the server checks them. More lenient than the parser of
 * clients: the kind refuses a field without a name. Throws ApiError with the server's message.
 */
export function readFieldSelector(selector: string): FieldSelector {
  return (
    termsOf(selector)
      .toSorted()
      .filter((term) => term !== "")
      .map((term) => readTerm(selector, term))
      // A requirement without a name and a value has no effect.
      .filter(({ field, value }) => field !== "" || value !== "")
  );
}

/** The parts between commas, but not commas that follow a backslash. */
function termsOf(selector: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < selector.length; index += 1) {
    if (selector[index] === "\\") index += 1;
    else if (selector[index] === ",") {
      terms.push(selector.slice(start, index));
      start = index + 1;
    }
  }
  return [...terms, selector.slice(start)];
}

function readTerm(selector: string, term: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [, field = "", sign = "=", escaped = ""] = match;
  return { field, operator: sign === "!=" ? "!=" : "=", value: unescapeValue(escaped) };
}

function unescapeValue(escaped: string): string {
  return escaped.replaceAll(/\\(.?)|[,=]/gsu, (found, character: string | undefined) => {
    if (character === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    }
    if (character !== "\\" && character !== "," && character !== "=") {
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    }
    return character;
  });
}
