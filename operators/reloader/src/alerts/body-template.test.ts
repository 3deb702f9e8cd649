import { describe, expect, it } from "vitest";
import { errorAlert, reloadAlert } from "../../test/support/alerts.ts";
import { templatePayload, templateProblem } from "./body-template.ts";

it("writes values of the alert for placeholders", () => {
  const template =
    '{"summary": "{{ workloadKind }}/{{workloadName}} in {{workloadNamespace}}: {{resources}} ({{strategy}}, {{additionalInfo}})"}';
  expect(templatePayload(template)(reloadAlert, { additionalInfo: "cluster-1" })).toEqual({
    contentType: "application/json",
    body: '{"summary": "Deployment/web in shop: shop/Secret/db (env-vars, cluster-1)"}',
  });
});

it("lets no value end the string that it is in, or be a template", () => {
  const alert = { ...errorAlert, error: 'a "quoted"\n\\ {{title}} $& value' };
  const { body } = templatePayload('{"text": "{{error}}"}')(alert, {});
  expect(JSON.parse(body)).toEqual({ text: alert.error });
});

describe("templateProblem", () => {
  it.each([
    ['{"text": "{{text}}"}', "every placeholder exists"],
    ['{"text": "no placeholder"}', "there is none"],
    ['{"a": {"b": {"c": "{{time}}"}}}', "braces of JSON stand together"],
  ])("accepts %s: %s", (template) => {
    expect(templateProblem(template)).toBeUndefined();
  });

  it.each([
    ['{"text": "{{password}}"}', "{{password}} is no placeholder; write one of {{title}}, {{text}}"],
    ['{"text": "{{constructor}}"}', "{{constructor}} is no placeholder"],
    ['{"text": "{{ workload.name }}"}', "{{ workload.name }} is no placeholder"],
    ['{"text": {{text}}}', "it does not make a JSON document"],
    ["", "it does not make a JSON document"],
  ])("explains what is wrong with %s", (template, problem) => {
    expect(templateProblem(template)).toContain(problem);
  });
});
