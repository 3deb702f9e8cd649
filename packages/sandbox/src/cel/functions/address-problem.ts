/** Why a text is no IP address, in the words of Go. */
export function addressProblem(text: string): string {
  const first = [...text].find((character) => /[.:%]/.test(character));
  let problem: Problem = ["unable to parse IP"];
  if (first === ".") problem = ipv4Problem(text);
  else if (first === ":") problem = ipv6Problem(text);
  else if (first === "%") problem = ["missing IPv6 address"];
  const [message, at] = problem;
  return `ParseAddr(${quoted(text)}): ${message}${at === undefined ? "" : ` (at ${quoted(at)})`}`;
}

type Problem = readonly [message: string, at?: string];

function quoted(text: string): string {
  return JSON.stringify(text);
}

function ipv4Problem(text: string): Problem {
  const wrong = /[^\d.]/.exec(text);
  const parts = text.slice(0, wrong?.index ?? text.length).split(".");
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (/^0\d/.test(part)) return ["IPv4 field has octet with leading zero"];
    if (Number(part) > 255) return ["IPv4 field has value >255"];
    if (part === "" && !(isLast && wrong !== null)) {
      const dot = index === 0 || !isLast ? at : at - 1;
      return ["IPv4 field must have at least one digit", text.slice(Math.max(0, dot))];
    }
    if (index === 3 && !isLast) return ["IPv4 address too long"];
    at += part.length + 1;
  }
  if (wrong !== null) return ["unexpected character", text.slice(wrong.index)];
  return ["IPv4 address too short"];
}

function ipv6Problem(text: string): Problem {
  const [address = ""] = text.split("%", 1);
  if (text.endsWith("%")) return ["zone must be a non-empty string"];
  let rest = address;
  let count = 0;
  let hasEllipsis = rest.startsWith("::");
  if (hasEllipsis) rest = rest.slice(2);
  while (count < 8) {
    const [digits = ""] = /^[\da-fA-F]*/.exec(rest) ?? [];
    if (digits.length > 4) return ["each group must have 4 or less digits", rest];
    if (digits === "") return ["each colon-separated field must have at least one digit", rest];
    if (rest[digits.length] === ".") return ipv4Problem(rest);
    count++;
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return ["unexpected character, want colon", rest];
    if (rest === ":") return ["colon must be followed by more characters", rest];
    rest = rest.slice(1);
    if (!rest.startsWith(":")) continue;
    if (hasEllipsis) return ["multiple :: in address", rest];
    hasEllipsis = true;
    rest = rest.slice(1);
    if (rest === "") break;
  }
  if (rest !== "") return ["trailing garbage after address", rest];
  return [hasEllipsis ? "the :: must expand to at least one field of zeros" : "address string too short"];
}

/** Why a text is no range of addresses, in the words of Go. */
export function prefixProblem(text: string): string {
  const slash = text.lastIndexOf("/");
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  const problem = (isAddress: boolean): string => {
    if (slash < 0) return "no '/'";
    if (!isAddress) return addressProblem(address);
    if (address.includes("%")) return "IPv6 zones cannot be present in a prefix";
    return /^(0|[1-9]\d{0,2})$/.test(bits)
      ? "prefix length out of range"
      : `bad bits after slash: ${quoted(bits)}`;
  };
  return `netip.ParsePrefix(${quoted(text)}): ${problem(/^[\d.]+$|:/.test(address))}`;
}
