import { expect, test } from "vitest";
import { ConditionError, evaluateCondition } from "./evaluate-condition.ts";

const variables = {
  object: { metadata: { name: "a" }, spec: { replicas: 3 } },
  oldObject: null,
  request: { operation: "CREATE" },
  authorizer: () => ({ allowed: true, reason: "" }),
};

test.each([
  ["object.spec.replicas > 2 && request.operation == 'CREATE'", true],
  ["oldObject == null", true],
  ["authorizer.group('').resource('pods').namespace('x').check('get').allowed()", true],
  ["authorizer.requestResource.check('create').allowed() && request.?dryRun.orValue(false) == false", true],
  ["authorizer.serviceAccount('a', 'b').path('/x').check('get').allowed()", true],
  ["authorizer.group('').resource('pods').labelSelector('a=b').check('list').reason() == ''", true],
  ["quantity('1Gi').isGreaterThan(quantity('1Mi')) && cidr('10.0.0.0/8').containsIP('10.1.2.3')", true],
  ["'%s-%d'.format(['a', 1]) == 'a-1' && [1, 3].isSorted() && sets.contains(['a', 'b'], ['a'])", true],
  ["['a', 'b'].all(i, v, i < 2) && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}", true],
  [`'${"a".repeat(40)}!'.matches('^(a+)+$')`, false],
  ["'A'.matches('(?i)^[[:alpha:]]$') && 'x1y22'.findAll('[0-9]+') == ['1', '22']", true],
  ["url('https://a.b:80/x').getHostname() == 'b.a'", false],
])("%s", (expression, expected) => {
  expect(evaluateCondition(expression, variables)).toBe(expected);
});

test("an object that is nested deeply can be compared", () => {
  const nested = (): unknown => {
    let value: unknown = { end: [1] };
    for (let depth = 0; depth < 9_000; depth++) value = { value };
    return value;
  };
  const both = { ...variables, object: nested(), oldObject: nested() };
  expect(evaluateCondition("object == oldObject && has(object.value.value)", both)).toBe(true);
  expect(evaluateCondition("'%s'.format([object]) == ''", both)).toBeInstanceOf(ConditionError);
});

test("what cannot be decided is an error", () => {
  expect(evaluateCondition("object.spec.none == 1", variables)).toBeInstanceOf(ConditionError);
  expect(evaluateCondition("undeclared == 1", variables)).toBeInstanceOf(ConditionError);
});
