/**
 * The rules for names in Kubernetes. Each function returns what is wrong with a value, as words that complete
 * "it …", or undefined if nothing is.
 */

const dnsLabelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const namePartPattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const longestLabel = 63;
const longestSubdomain = 253;

const alphanumericEnds = "and start and end with a letter or digit";

/** For names of namespaces, containers, volumes, ports of services: an RFC 1123 label, such as `my-name`. */
export function dnsLabelProblem(value: string): string | undefined {
  if (value.length > longestLabel) return tooLong(longestLabel);
  if (dnsLabelPattern.test(value)) return undefined;
  if (dnsSubdomainPattern.test(value)) return "must not contain dots";
  return `must consist of lower-case letters, digits and "-", ${alphanumericEnds}`;
}

/** For the names of most objects: RFC 1123 labels joined by dots, such as `example.com`. */
export function dnsSubdomainProblem(value: string): string | undefined {
  if (value.length > longestSubdomain) return tooLong(longestSubdomain);
  if (dnsSubdomainPattern.test(value)) return undefined;
  return `must consist of lower-case letters, digits, "-" and ".", ${alphanumericEnds}`;
}

/** For keys of labels and annotations, and for finalizers: a name, or a DNS subdomain and a name, `example.com/Name`. */
export function qualifiedNameProblem(value: string): string | undefined {
  const [first = "", second, ...rest] = value.split("/");
  if (rest.length > 0) return 'must not contain more than one "/"';
  if (second === undefined) return namePartProblem("", first);
  if (first === "") return 'must have a DNS subdomain before the "/"';
  const prefixProblem = dnsSubdomainProblem(first);
  return prefixProblem === undefined
    ? namePartProblem('after the "/" ', second)
    : `before the "/" ${prefixProblem}`;
}

/** For values of labels: nothing, or a name such as `my_value`. */
export function labelValueProblem(value: string): string | undefined {
  return value === "" ? undefined : namePartProblem("", value);
}

function namePartProblem(where: string, name: string): string | undefined {
  if (name === "") return `${where}must not be empty`;
  if (name.length > longestLabel) return `${where}${tooLong(longestLabel)}`;
  if (namePartPattern.test(name)) return undefined;
  return `${where}must consist of letters, digits, "-", "_" and ".", ${alphanumericEnds}`;
}

function tooLong(longest: number): string {
  return `must be at most ${longest} characters long`;
}
