import type { Optional } from "@marcbachmann/cel-js";
import {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from "../../resource/name-problems.ts";
import { hasFormat } from "../../schema/formats.ts";
import { type Library, libraryOf, namespaced, optionalOf } from "./library.ts";

/** A named form of text, such as that of DNS labels, as a value of CEL. */
class CelFormat {
  readonly name: string;
  readonly problems: (text: string) => readonly string[];

  constructor(name: string, problems: (text: string) => readonly string[]) {
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
    new CelFormat("dns1123Label", dnsLabelProblems),
    new CelFormat("dns1123Subdomain", dnsSubdomainProblems),
    new CelFormat("dns1035Label", dns1035LabelProblems),
    new CelFormat("dns1123LabelPrefix", prefixOf(dnsLabelProblems)),
    new CelFormat("dns1123SubdomainPrefix", prefixOf(dnsSubdomainProblems)),
    new CelFormat("dns1035LabelPrefix", prefixOf(dns1035LabelProblems)),
    new CelFormat("qualifiedName", qualifiedNameProblems),
    new CelFormat("labelValue", labelValueProblems),
    new CelFormat("uri", known("uri", "invalid URI for request")),
    new CelFormat("uuid", known("uuid", "does not match the UUID format")),
    new CelFormat("byte", known("byte", "invalid base64")),
    new CelFormat("date", known("date", "invalid date")),
    new CelFormat("datetime", known("date-time", "invalid datetime")),
  ].map((format) => [format.name, format]),
);

const functions = namespaced("format", "FormatNamespace", [
  ["named(string): optional<kubernetes.NamedFormat>", (name: string) => optionalOf(formats.get(name))],
  ...[...formats.values()].map(
    (format) => [`${format.name}(): kubernetes.NamedFormat`, () => format] as const,
  ),
]);

const validation = libraryOf([["kubernetes.NamedFormat.validate(string): optional<list<string>>", validate]]);

export const namedFormatsLibrary: Library = (environment) => {
  environment.registerType("kubernetes.NamedFormat", { ctor: CelFormat, fields: {} });
  functions(environment);
  validation(environment);
};

function validate(format: CelFormat, text: string): Optional<readonly string[]> {
  const problems = format.problems(text);
  return optionalOf(problems.length === 0 ? undefined : problems);
}
