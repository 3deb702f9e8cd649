import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";

/** The family of an address, or undefined if the text is none. Leading zeros are let through, as the server does. */
export function ipFamilyOf(text: string): "IPv4" | "IPv6" | undefined {
  if (isIPv4(text)) return "IPv4";
  return isIPv6(text) ? "IPv6" : undefined;
}

export function ipProblems(text: string, field: string): readonly FieldProblem[] {
  return ipFamilyOf(text) === undefined
    ? [invalidValue(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    : [];
}

/** An address that traffic can be sent to. */
export function endpointAddressProblems(text: string, field: string): readonly FieldProblem[] {
  const problems = ipProblems(text, field);
  if (problems.length > 0) return problems;
  const rule = unreachable.find(([pattern]) => pattern.test(text));
  return rule === undefined ? [] : [invalidValue(field, text, rule[1](text))];
}

const unreachable: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^(0\.0\.0\.0|::|0(:0){7})$/, (text) => `may not be unspecified (${text})`],
  [/^(127\.|::1$)/, () => "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^(169\.254\.|fe[89ab])/i, () => "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^(224\.0\.0\.|ff02:)/i, () => "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

function isIPv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isIPv6(text: string): boolean {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return false;
  const groups = [...groupsOf(head), ...groupsOf(tail ?? "")];
  const last = groups.at(-1) ?? "";
  const endsInIPv4 = last.includes(".");
  const count = groups.length + (endsInIPv4 ? 1 : 0);
  const areGroups = groups.every((group, index) =>
    endsInIPv4 && index === groups.length - 1 ? isIPv4(group) : /^[0-9a-f]{1,4}$/i.test(group),
  );
  return areGroups && (tail === undefined ? count === 8 : count < 8);
}

function groupsOf(part: string): readonly string[] {
  return part === "" ? [] : part.split(":");
}
