import type { WebhookClientConfig } from "@keelson/core/kinds/admissionregistration/v1";
import { outsideOf } from "../../resource/name-problems.ts";
import { type FieldProblem, invalidValue, required } from "../../status/field-problem.ts";
import type { Given } from "../given.ts";

/** How the server reaches a webhook: by an address or by a service, not both. */
export function clientConfigProblems(
  { url, service }: Given<WebhookClientConfig>,
  field: string,
): readonly FieldProblem[] {
  if ((url === undefined) === (service === undefined)) {
    return [required(field, "exactly one of url or service is required")];
  }
  return url === undefined
    ? serviceProblems(service ?? {}, `${field}.service`)
    : urlProblems(url, `${field}.url`);
}

function serviceProblems(
  { name = "", namespace = "", path, port = 443 }: NonNullable<Given<WebhookClientConfig>["service"]>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(name === "" ? [required(`${field}.name`, "service name is required")] : []),
    ...(namespace === "" ? [required(`${field}.namespace`, "service namespace is required")] : []),
    ...(port < 1 || port > 65535
      ? [invalidValue(`${field}.port`, port, `port is not valid: ${outsideOf(1, 65535)}`)]
      : []),
    ...(path === undefined || path.startsWith("/")
      ? []
      : [invalidValue(`${field}.path`, path, "must start with a '/'")]),
  ];
}

function userOf({ username, password }: URL): string {
  return password === "" ? username : `${username}:${password}`;
}

const urlForm = "desired format: https://host[/path]";

function urlProblems(url: string, field: string): readonly FieldProblem[] {
  const parsed = URL.parse(url);
  if (parsed === null) return [required(field, `url must be a valid URL: ${urlForm}`)];
  const problems: FieldProblem[] = [];
  if (parsed.protocol !== "https:") {
    const scheme = parsed.protocol.slice(0, -1);
    const detail = `'https' is the only allowed URL scheme; ${urlForm}`;
    problems.push(invalidValue(field, scheme, detail));
  }
  if (parsed.hostname === "") problems.push(invalidValue(field, "", `host must be specified; ${urlForm}`));
  if (parsed.username !== "" || parsed.password !== "") {
    problems.push(invalidValue(field, userOf(parsed), "user information is not permitted in the URL"));
  }
  const fragment = parsed.hash.slice(1);
  if (fragment !== "") problems.push(invalidValue(field, fragment, "fragments are not permitted in the URL"));
  const query = parsed.search.slice(1);
  if (query !== "")
    problems.push(invalidValue(field, query, "query parameters are not permitted in the URL"));
  return problems;
}
