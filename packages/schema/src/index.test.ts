import { expect, it } from "vitest";
import * as entry from "./index.ts";

it("exports exactly what users may rely on", () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "SchemaError",
      "allows",
      "atomic",
      "compareCrds",
      "conditions",
      "defineResource",
      "duration",
      "embeddedResource",
      "envSources",
      "envVariables",
      "imagePullSecrets",
      "immutable",
      "intOrString",
      "labelSelector",
      "listMap",
      "listSet",
      "makeClusterRole",
      "makeRole",
      "quantity",
      "rbacRules",
      "resourceRequirements",
      "rule",
      "sized",
      "textResources",
      "z",
    ]
  `);
});
