import { type FieldProblem, indexed, invalidValue, required } from "../status/field-problem.ts";
import { dns1035LabelProblems, dnsSubdomainProblems, outsideOf } from "./name-problems.ts";
import type { WebhookService } from "./webhook-caller.ts";

const urlForm = "; desired format: https://host[/path]";

/** What is wrong with the URL of an admission or conversion webhook. */
export function webhookUrlProblems(url: string, field: string): readonly FieldProblem[] {
  if (url.startsWith(":")) {
    const why = `parse ${JSON.stringify(url)}: missing protocol scheme`;
    return [required(field, `url must be a valid URL: ${why}${urlForm}`)];
  }
  const [, scheme = "", authority = "", rest = ""] =
    /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?(.*)$/s.exec(url) ?? [];
  const problems: FieldProblem[] = [];
  if (scheme !== "https") {
    problems.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${urlForm}`));
  }
  const userEnd = authority.lastIndexOf("@");
  if (authority.slice(userEnd + 1) === "") {
    problems.push(invalidValue(field, "", `host must be specified${urlForm}`));
  }
  if (userEnd >= 0) {
    const user = authority.slice(0, userEnd);
    problems.push(invalidValue(field, user, "user information is not permitted in the URL"));
  }
  const [, fragment = ""] = /#(.*)$/s.exec(rest) ?? [];
  if (fragment !== "") problems.push(invalidValue(field, fragment, "fragments are not permitted in the URL"));
  const [, query = ""] = /^[^#]*\?([^#]*)/.exec(rest) ?? [];
  if (query !== "") {
    problems.push(invalidValue(field, query, "query parameters are not permitted in the URL"));
  }
  return problems;
}

/** What is wrong with the Service of a webhook. Like the real server, it confuses the name and the namespace. */
export function webhookServiceProblems(
  { name, namespace, path = "", port = 443 }: Partial<WebhookService>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(namespace ? [] : [required(`${field}.name`)]),
    ...(name ? [] : [required(`${field}.namespace`)]),
    ...(port < 1 || port > 65535
      ? [invalidValue(`${field}.port`, port, `port is not valid: ${outsideOf(1, 65535)}`)]
      : []),
    ...pathProblems(path).map((detail) => invalidValue(`${field}.path`, path, detail)),
  ];
}

function pathProblems(path: string): readonly string[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return ["segment[0] may not be empty"];
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  return [
    ...(path.startsWith("/") ? [] : ["must start with a '/'"]),
    ...segments.flatMap((segment, index) =>
      segment === ""
        ? [`segment[${index}] may not be empty`]
        : dnsSubdomainProblems(segment).map((problem) => `segment[${index}]: ${problem}`),
    ),
  ];
}

/** What is wrong with the versions of reviews that a webhook accepts; there is at least one. */
export function reviewVersionProblems(versions: readonly string[], field: string): readonly FieldProblem[] {
  const problems = versions.flatMap((version, index) => {
    const place = indexed(field, index);
    if (versions.indexOf(version) !== index) return [invalidValue(place, version, "duplicate version")];
    return dns1035LabelProblems(version).map((detail) => invalidValue(place, version, detail));
  });
  if (versions.includes("v1") || versions.includes("v1beta1")) return problems;
  return [...problems, invalidValue(field, versions, "must include at least one of v1, v1beta1")];
}
