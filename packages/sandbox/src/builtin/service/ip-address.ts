import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";

/** The family of an address, or undefined if the text is none. Leading zeros are let through. */
export function ipFamilyOf(text: string): "IPv4" | "IPv6" | undefined {
  if (isIPv4(text)) return "IPv4";
  return isIPv6(text) ? "IPv6" : undefined;
}

export function ipProblems(text: string, field: string): readonly FieldProblem[] {
  if (ipFamilyOf(text) === undefined) {
    return [invalidValue(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  }
  if (hasLeadingZeros(text)) return [invalidValue(field, text, "must not have leading 0s")];
  return isMappedIPv4(text) ? [invalidValue(field, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

/** Whether a number of the IPv4 address, or of the one at the end of an IPv6 address, has a zero before it. */
export function hasLeadingZeros(address: string): boolean {
  const [numbers = ""] = address.split(":").slice(-1);
  return numbers.includes(".") && numbers.split(".").some((part) => /^0\d/.test(part));
}

/** Whether an IPv6 address stands for an IPv4 one. */
export function isMappedIPv4(address: string): boolean {
  return ipFamilyOf(address) === "IPv6" && ipNumber(address) >> 32n === 0xffffn;
}

/** Of an address that is one. */
export function ipNumber(address: string): bigint {
  if (isIPv4(address)) return address.split(".").reduce((number, part) => number * 256n + BigInt(part), 0n);
  const [head = [], tail = []] = address.split("::").map(numbersOf);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0n);
  return [...head, ...zeros, ...tail].reduce((number, group) => number * 65536n + group, 0n);
}

function numbersOf(part: string): readonly bigint[] {
  return groupsOf(part).flatMap((group) => {
    if (!group.includes(".")) return [BigInt(`0x${group}`)];
    const number = ipNumber(group);
    return [number >> 16n, number & 0xffffn];
  });
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
