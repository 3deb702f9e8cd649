import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from "../../resource/name-problems.ts";
import { hasFormat } from "../../schema/formats.ts";
import { ExtensionValue, OptionalValue } from "../language/cel-values.ts";
import type { Functions } from "../language/function-table.ts";

/** A named form of text, such as that of DNS labels, as a value of CEL. */
export class CelFormat extends ExtensionValue {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  /** How long its pattern is guessed to be, for what it costs. */
  readonly patternLength: number;
  readonly problems: (text: string) => readonly string[];

  constructor(name: string, patternLength: number, problems: (text: string) => readonly string[]) {
    super();
    this.patternLength = patternLength;
    this.name = name;
    this.problems = problems;
  }

  toString(): string {
    return this.name;
  }
}

/** Names that something random is appended to may end in a hyphen. */
const prefixOf =
  (problems: (text: string) => readonly string[]) =>
  (text: string): readonly string[] =>
    problems(text.endsWith("-") ? `${text.slice(0, -1)}a` : text);

const known =
  (format: string, problem: string) =>
  (text: string): readonly string[] =>
    hasFormat(text, format) ? [] : [problem];

const formats: ReadonlyMap<string, CelFormat> = new Map(
  [
    new CelFormat("dns1123Label", 30, dnsLabelProblems),
    new CelFormat("dns1123Subdomain", 60, dnsSubdomainProblems),
    new CelFormat("dns1035Label", 30, dns1035LabelProblems),
    new CelFormat("dns1123LabelPrefix", 30, prefixOf(dnsLabelProblems)),
    new CelFormat("dns1123SubdomainPrefix", 60, prefixOf(dnsSubdomainProblems)),
    new CelFormat("dns1035LabelPrefix", 30, prefixOf(dns1035LabelProblems)),
    new CelFormat("qualifiedName", 60, qualifiedNameProblems),
    new CelFormat("labelValue", 40, labelValueProblems),
    new CelFormat("uri", 1104, known("uri", "invalid URI for request")),
    new CelFormat("uuid", 72, known("uuid", "does not match the UUID format")),
    new CelFormat("byte", 84, known("byte", "invalid base64")),
    new CelFormat("date", 72, known("date", "invalid date")),
    new CelFormat("datetime", 72, known("date-time", "invalid datetime")),
  ].map((format) => [format.name, format]),
);

export const namedFormats: Functions = [
  [
    "format.named(string): optional<kubernetes.NamedFormat>",
    (name: string) => (formats.has(name) ? OptionalValue.of(formats.get(name)) : OptionalValue.none),
  ],
  ...[...formats.values()].map(
    (format) => [`format.${format.name}(): kubernetes.NamedFormat`, () => format] as const,
  ),
  ["kubernetes.NamedFormat.validate(string): optional<list<string>>", validate],
];

function validate(format: CelFormat, text: string): OptionalValue {
  const problems = format.problems(text);
  return problems.length === 0 ? OptionalValue.none : OptionalValue.of(problems);
}
