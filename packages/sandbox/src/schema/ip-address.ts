/** An IPv4 address as four decimal numbers without leading zeros. */
export function isIPv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** An IPv6 address, possibly shortened by `::` once, possibly with an IPv4 address at its end; without a zone. */
export function isIPv6(text: string): boolean {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return false;
  const groups = [...groupsOf(head, tail === undefined), ...(tail === undefined ? [] : groupsOf(tail, true))];
  if (groups.some((group) => group === undefined)) return false;
  const count = groups.reduce<number>((total, group) => total + (group ?? 0), 0);
  return tail === undefined ? count === 8 : count < 8;
}

/** How many of the eight groups each part stands for; undefined for what is none. */
function groupsOf(text: string, mayEndInIPv4: boolean): readonly (1 | 2 | undefined)[] {
  if (text === "") return [];
  const parts = text.split(":");
  return parts.map((part, index) => {
    if (/^[0-9a-f]{1,4}$/i.test(part)) return 1;
    return mayEndInIPv4 && index === parts.length - 1 && isIPv4(part) ? 2 : undefined;
  });
}
