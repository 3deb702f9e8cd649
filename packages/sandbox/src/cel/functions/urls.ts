import { failure, type Library, libraryOf } from "./library.ts";

/** An absolute URL, or a path from the root, as a value of CEL. */
class CelURL {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string) {
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

const functions = libraryOf([
  ["url(string): kubernetes.URL", urlOf],
  ["isURL(string): bool", isURL],
  ["kubernetes.URL.getScheme(): string", ({ scheme }: CelURL) => scheme],
  ["kubernetes.URL.getHost(): string", ({ host }: CelURL) => host],
  ["kubernetes.URL.getHostname(): string", ({ host }: CelURL) => splitHost(host).name],
  ["kubernetes.URL.getPort(): string", ({ host }: CelURL) => splitHost(host).port],
  ["kubernetes.URL.getEscapedPath(): string", ({ path }: CelURL) => encodeURI(decoded(path))],
  ["kubernetes.URL.getQuery(): map<string, list<string>>", queryOf],
]);

export const urlsLibrary: Library = (environment) => {
  environment.registerType("kubernetes.URL", { ctor: CelURL, fields: {} });
  environment.registerOperator(
    "kubernetes.URL == kubernetes.URL",
    (a: CelURL, b: CelURL) => a.text === b.text,
  );
  functions(environment);
};

function isURL(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  return text.startsWith("/") || /^[a-zA-Z][a-zA-Z0-9+.-]*:.+$/.test(text);
}

function urlOf(text: string): CelURL {
  if (isURL(text)) return new CelURL(text);
  throw failure(
    `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
  );
}

function splitHost(host: string): { readonly name: string; readonly port: string } {
  const [, bracketed, plain = "", port = ""] = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/.exec(host) ?? [];
  return { name: bracketed ?? plain, port };
}

function queryOf({ query }: CelURL): Record<string, readonly string[]> {
  const values: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) values[name] = [...(values[name] ?? []), value];
  return values;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
