import type { CustomResourceConversion, WebhookConversion } from "@keelson/core/kinds/apiextensions/v1";
import {
  reviewVersionProblems,
  webhookServiceProblems,
  webhookUrlProblems,
} from "../../resource/webhook-address-problems.ts";
import { type FieldProblem, forbiddenField, notSupported, required } from "../../status/field-problem.ts";

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
      ...versionsProblems(webhook?.conversionReviewVersions ?? []),
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
  return url === undefined
    ? webhookServiceProblems(service ?? {}, `${clientField}.service`)
    : webhookUrlProblems(url, `${clientField}.url`);
}

function versionsProblems(versions: readonly string[]): readonly FieldProblem[] {
  return versions.length === 0 ? [required(versionsField)] : reviewVersionProblems(versions, versionsField);
}
