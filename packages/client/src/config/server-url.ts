import { SettingProblem } from "./errors.ts";

/**
 * The server's URL in the form that `ClusterAccess` promises. As in kubectl `host:port` will do: it stands for https
 * if any field of the cluster is about TLS, and for http otherwise.
 */
export function parseServer(server: string, speaksOfTls: boolean): string {
  const advice = "write https://host:port";
  if (server === "") throw new SettingProblem("its cluster has no server", advice);
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(server);
  const url = URL.parse(hasScheme ? server : `${speaksOfTls ? "https" : "http"}://${server}`);
  if (url === null) throw new SettingProblem("the server of its cluster is not a URL", advice);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new SettingProblem(`the server of its cluster has the scheme ${url.protocol.slice(0, -1)}`, advice);
  }
  if (url.username !== "" || url.password !== "") {
    throw new SettingProblem(
      "the server of its cluster has credentials in its URL",
      "give them to the user instead",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Checks that a proxy is one that the client can go through. */
export function parseProxy(proxy: string): string {
  const advice = "use a proxy-url with http or https";
  const url = URL.parse(proxy);
  if (url === null) throw new SettingProblem("proxy-url is not a URL", advice);
  const scheme = url.protocol.slice(0, -1);
  if (scheme === "http" || scheme === "https") return url.href;
  const isSocks = scheme.startsWith("socks");
  const problem = isSocks ? "SOCKS proxies are not supported" : `proxy-url has the scheme ${scheme}`;
  throw new SettingProblem(problem, advice);
}
