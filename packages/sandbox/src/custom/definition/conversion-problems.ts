import type { CustomResourceConversion, WebhookConversion } from "@keelson/core/kinds/apiextensions/v1";
import { dns1035LabelProblems } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";

const strategies = ["None", "Webhook"];
const clientField = "spec.conversion.webhookClientConfig";
const versionsField = "spec.conversion.conversionReviewVersions";

/** What is wrong with how a definition says that its objects are converted. */
export function conversionProblems(
  conversion: CustomResourceConversion | undefined,
): readonly FieldProblem[] {
  if (conversion === undefined) return [];
  const { strategy = "", webhook } = conversion;
  const problems: FieldProblem[] = [];
  if (strategy === "") problems.push(required("spec.conversion.strategy"));
  else if (!strategies.includes(strategy)) {
    problems.push(notSupported("spec.conversion.strategy", strategy, strategies));
  }
  if (strategy === "Webhook") {
    return [
      ...problems,
      ...clientProblems(webhook),
      ...reviewVersionProblems(webhook?.conversionReviewVersions ?? []),
    ];
  }
  const detail = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig !== undefined) problems.push(forbiddenField(clientField, detail));
  if ((webhook?.conversionReviewVersions ?? []).length > 0)
    problems.push(forbiddenField(versionsField, detail));
  return problems;
}

function clientProblems(webhook: WebhookConversion | undefined): readonly FieldProblem[] {
  const client = webhook?.clientConfig;
  if (client === undefined) return [required(clientField, "required when strategy is set to Webhook")];
  const { url, service } = client;
  if ((url === undefined) === (service === undefined)) {
    return [required(clientField, "exactly one of url or service is required")];
  }
  if (url !== undefined) return urlProblems(url, `${clientField}.url`);
  const path = `${clientField}.service`;
  const problems: FieldProblem[] = [];
  if ((service?.name ?? "") === "") problems.push(required(`${path}.name`, "service name is required"));
  if ((service?.namespace ?? "") === "") {
    problems.push(required(`${path}.namespace`, "service namespace is required"));
  }
  const port = service?.port ?? 443;
  if (port < 1 || port > 65535) {
    problems.push(
      invalidValue(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"),
    );
  }
  return problems;
}

const urlForm = "; desired format: https://host[/path]";

function urlProblems(url: string, field: string): readonly FieldProblem[] {
  const [, scheme = "", authority = "", rest = ""] =
    /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?(.*)$/s.exec(url) ?? [];
  const problems: FieldProblem[] = [];
  if (scheme !== "https") {
    problems.push(invalidValue(field, scheme, `'https' is the only allowed URL scheme${urlForm}`));
  }
  if (authority === "") problems.push(invalidValue(field, authority, `host must be specified${urlForm}`));
  if (authority.includes("@")) {
    problems.push(
      invalidValue(
        field,
        authority.slice(0, authority.indexOf("@")),
        "user information is not permitted in the URL",
      ),
    );
  }
  const [, fragment = ""] = /#(.*)$/.exec(rest) ?? [];
  if (fragment !== "") problems.push(invalidValue(field, fragment, "fragments are not permitted in the URL"));
  const [, query = ""] = /\?([^#]*)/.exec(rest) ?? [];
  if (query !== "")
    problems.push(invalidValue(field, query, "query parameters are not permitted in the URL"));
  return problems;
}

function reviewVersionProblems(versions: readonly string[]): readonly FieldProblem[] {
  if (versions.length === 0) return [required(versionsField)];
  const problems = versions.flatMap((version, index) => {
    const field = indexed(versionsField, index);
    if (versions.indexOf(version) !== index) return [invalidValue(field, version, "duplicate version")];
    return dns1035LabelProblems(version).map((detail) => invalidValue(field, version, detail));
  });
  const isKnown = versions.includes("v1") || versions.includes("v1beta1");
  if (isKnown) return problems;
  return [...problems, invalidValue(versionsField, versions, "must include at least one of v1, v1beta1")];
}
