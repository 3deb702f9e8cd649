import { type CelMap, ExtensionValue } from "../language/cel-values.ts";
import { failure } from "../language/evaluation-failure.ts";
import type { Functions } from "../language/function-table.ts";

/** An absolute URL, or a path from the root, as a value of CEL. */
class CelURL extends ExtensionValue {
  readonly typeName = "kubernetes.URL";
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string) {
    super();
    const [, scheme = "", authority = "", path = "", query = ""] =
      /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text) ?? [];
    this.text = text;
    this.scheme = scheme.toLowerCase();
    this.host = authority.slice(authority.lastIndexOf("@") + 1);
    this.path = path;
    this.query = query;
  }

  toString(): string {
    return this.text;
  }
}

export const urls: Functions = [
  ["url(string): kubernetes.URL", urlOf],
  ["isURL(string): bool", (text: string) => urlProblem(text) === undefined],
  ["kubernetes.URL.getScheme(): string", ({ scheme }: CelURL) => scheme],
  ["kubernetes.URL.getHost(): string", ({ host }: CelURL) => host],
  ["kubernetes.URL.getHostname(): string", ({ host }: CelURL) => splitHost(host).name],
  ["kubernetes.URL.getPort(): string", ({ host }: CelURL) => splitHost(host).port],
  ["kubernetes.URL.getEscapedPath(): string", ({ path }: CelURL) => encodeURI(decoded(path))],
  ["kubernetes.URL.getQuery(): map<string, list<string>>", queryOf],
];

function urlOf(text: string): CelURL {
  const problem = urlProblem(text);
  if (problem === undefined) return new CelURL(text);
  const where = `parse ${JSON.stringify(text)}`;
  throw failure(`URL parse error during conversion from string: ${where}: ${problem}`);
}

/** Why a text cannot be requested, in the words of Go. */
function urlProblem(text: string): string | undefined {
  if ([...text].some((character) => character < " " || character === "\x7f"))
    return "net/url: invalid control character in URL";
  if (text === "") return "empty url";
  if (text === "*") return undefined;
  if (text.startsWith(":")) return "missing protocol scheme";
  const [, scheme, afterScheme = text] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/s.exec(text) ?? [];
  const [rest = ""] = afterScheme.split("?", 1);
  if (!rest.startsWith("/")) return scheme === undefined ? "invalid URI for request" : undefined;
  if (scheme === undefined || !rest.startsWith("//")) return escapeProblem(rest);
  const [authority = "", ...path] = rest.slice(2).split("/");
  return authorityProblem(authority) ?? escapeProblem(path.join("/"));
}

function authorityProblem(authority: string): string | undefined {
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) return "invalid IP-literal";
  if (bracket === 0 && !host.includes("]")) return "missing ']' in host";
  const port = bracket === 0 ? host.slice(host.lastIndexOf("]") + 1) : (/:.*$/s.exec(host)?.[0] ?? "");
  if (!/^(:\d*)?$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const [wrong] = /[ "<>\\^`{|}]/.exec(host) ?? [];
  if (wrong !== undefined) return `invalid character ${JSON.stringify(wrong)} in host name`;
  const isUser = at < 0 || /^[\w\-.:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at));
  return isUser ? escapeProblem(host) : "net/url: invalid userinfo";
}

function escapeProblem(text: string): string | undefined {
  const [wrong] = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text) ?? [];
  return wrong === undefined ? undefined : `invalid URL escape ${JSON.stringify(wrong)}`;
}

function splitHost(host: string): { readonly name: string; readonly port: string } {
  const [, bracketed, plain = "", port = ""] = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/.exec(host) ?? [];
  return { name: bracketed ?? plain, port };
}

function queryOf({ query }: CelURL): CelMap {
  const parameters = new URLSearchParams(query);
  return new Map([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
