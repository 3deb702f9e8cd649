/**
 * The rules for names, keys and other short texts, with the messages of the API server. Each function returns all
 * problems of a value. Clients compare these messages, so the shorter messages of @keelson/core are not used here.
 */

const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
const label1035Format = "[a-z]([-a-z0-9]*[a-z0-9])?";
const namePartFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValueFormat = `(${namePartFormat})?`;
const configKeyFormat = "[-._a-zA-Z0-9]+";
const percentFormat = "[0-9]+%";
const headerFormat = "[-A-Za-z0-9]+";
const wildcardFormat = `\\*\\.${subdomainFormat}`;

const patterns = {
  label: whole(labelFormat),
  subdomain: whole(subdomainFormat),
  label1035: whole(label1035Format),
  namePart: whole(namePartFormat),
  labelValue: whole(labelValueFormat),
  configKey: whole(configKeyFormat),
  percent: whole(percentFormat),
  header: whole(headerFormat),
  wildcard: whole(wildcardFormat),
};

const none: readonly string[] = [];
const namePartRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const namePartMessage = withFormat(namePartRule, namePartFormat, "MyName", "my.name", "123-abc");
const subdomainMessage = withFormat(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainFormat,
  "example.com",
);

/** `my-name`: containers, volumes, namespaces, services. */
export function dnsLabelProblems(value: string): readonly string[] {
  if (value.length <= 63 && patterns.label.test(value)) return none;
  const problems = value.length > 63 ? [longerThan(63)] : [];
  if (patterns.label.test(value)) return problems;
  if (patterns.subdomain.test(value)) return [...problems, "must not contain dots"];
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, withFormat(rule, labelFormat, "my-name", "123-abc")];
}

/** `example.com`: the names of most objects. */
export function dnsSubdomainProblems(value: string): readonly string[] {
  if (value.length <= 253 && patterns.subdomain.test(value)) return none;
  const problems = value.length > 253 ? [longerThan(253)] : [];
  return patterns.subdomain.test(value) ? problems : [...problems, subdomainMessage];
}

/** `abc-123`, which begins with a letter. */
export function dns1035LabelProblems(value: string): readonly string[] {
  if (value.length <= 63 && patterns.label1035.test(value)) return none;
  const problems = value.length > 63 ? [longerThan(63)] : [];
  if (patterns.label1035.test(value)) return problems;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, withFormat(rule, label1035Format, "my-name", "abc-123")];
}

/** `*.example.com` */
export function wildcardSubdomainProblems(value: string): readonly string[] {
  const problems = value.length > 253 ? [longerThan(253)] : [];
  if (patterns.wildcard.test(value)) return problems;
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return [...problems, withFormat(rule, wildcardFormat, "*.example.com")];
}

/** A segment of a path: the rule for names of RBAC objects, and the minimum for every name. */
export function pathSegmentProblems(value: string): readonly string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** `example.com/MyName` or `MyName`: keys of labels and annotations, finalizers, resources of containers. */
export function qualifiedNameProblems(value: string): readonly string[] {
  const slash = value.indexOf("/");
  if (slash !== -1 && value.indexOf("/", slash + 1) !== -1) {
    return [
      `a valid label key ${namePartMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = value.slice(slash + 1);
  if (slash === -1 && name.length <= 63 && patterns.namePart.test(name)) return none;
  return [...(slash === -1 ? none : prefixProblems(value.slice(0, slash))), ...namePartProblems(name)];
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return dnsSubdomainProblems(prefix).map((problem) => `prefix part ${problem}`);
}

function namePartProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push("name part must be no more than 63 bytes");
  if (!patterns.namePart.test(name)) problems.push(`name part ${namePartMessage}`);
  return problems;
}

export function labelValueProblems(value: string): readonly string[] {
  if (value.length <= 63 && patterns.labelValue.test(value)) return none;
  const problems = value.length > 63 ? ["must be no more than 63 bytes"] : [];
  if (patterns.labelValue.test(value)) return problems;
  const rule = `a valid label must be an empty string or ${namePartRule.slice("must ".length)}`;
  return [...problems, withFormat(rule, labelValueFormat, "MyValue", "my_value", "12345")];
}

/** Keys of ConfigMaps and Secrets. */
export function configKeyProblems(value: string): readonly string[] {
  const problems = value.length > 253 ? [longerThan(253)] : [];
  if (!patterns.configKey.test(value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(withFormat(rule, configKeyFormat, "key.name", "KEY_NAME", "key-name"));
  }
  if (value === "." || value === "..") problems.push(`must not be '${value}'`);
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function environmentNameProblems(value: string): readonly string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  const rule =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(value) ? none : [rule];
}

export function portNumberProblems(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? none : [outsideOf(1, 65535)];
}

/** The names of container ports, which services may use instead of numbers. */
export function portNameProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > 15) problems.push(longerThan(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function percentProblems(value: string): readonly string[] {
  if (patterns.percent.test(value)) return none;
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  return [withFormat(rule, percentFormat, "1%", "93%")];
}

export function httpHeaderProblems(value: string): readonly string[] {
  if (patterns.header.test(value)) return none;
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [withFormat(rule, headerFormat, "X-Header-Name")];
}

/** `must be between 1 and 5, inclusive` */
export function outsideOf(least: number, most: number): string {
  return `must be between ${least} and ${most}, inclusive`;
}

function longerThan(most: number): string {
  return `must be no more than ${most} characters`;
}

/** The form in which the server appends examples, including double blanks. */
function withFormat(rule: string, format: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${format}')`;
}

function whole(format: string): RegExp {
  return new RegExp(`^${format}$`);
}
