import { expect, test } from "vitest";
import { parseQuery } from "./query.ts";

test.each([
  ["limit=1&watch", { limit: "1", watch: "" }],
  ["labelSelector=a%3Db+c", { labelSelector: "a=b c" }],
  ["labelSelector=%&limit=2", { limit: "2" }],
  ["limit=%zz", {}],
  ["limit=1;watch=true&x=y", { x: "y" }],
])("the readable parameters of %j are used", (query, read) => {
  expect(Object.fromEntries(parseQuery(query))).toEqual(read);
});
