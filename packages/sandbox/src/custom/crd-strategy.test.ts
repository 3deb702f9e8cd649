import { describe, expect, test } from "vitest";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { WriteContext } from "../resource/strategy.ts";
import { formatProblem } from "../status/field-problem.ts";
import { crdStrategy } from "./crd-strategy.ts";

const context: WriteContext = {
  subresource: undefined,
  user: { username: "ann", groups: [] },
  now: 0,
  read: { get: () => undefined, list: () => [] },
};

function crd(schema: object | undefined, spec: object = {}): MutableObject {
  const object: MutableObject = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
        },
      ],
      ...spec,
    },
  };
  crdStrategy.setDefaults(object);
  crdStrategy.prepareForCreate(object, context);
  return object;
}

const problemsOf = (object: MutableObject): readonly string[] =>
  [...(crdStrategy.validateNew?.(object, context) ?? []), ...crdStrategy.validate(object, context)].map(
    formatProblem,
  );

describe("crdStrategy", () => {
  test("fills in names, conversion and the stored version", () => {
    expect(crd({ type: "object" })).toMatchObject({
      spec: { names: { singular: "widget", listKind: "WidgetList" }, conversion: { strategy: "None" } },
      status: { storedVersions: ["v1"] },
    });
    expect(problemsOf(crd({ type: "object" }))).toEqual([]);
  });

  test("reports problems of names, scope and versions", () => {
    const wrong = crd(undefined, { group: "other.com", scope: "World" });
    expect(problemsOf(wrong)).toEqual([
      'metadata.name: Invalid value: "widgets.example.com": must be spec.names.plural+"."+spec.group',
      'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ]);
  });

  test("warns once of formats that the server does not check", () => {
    const odd = crd({
      type: "object",
      properties: { a: { type: "string", format: "made-up" }, b: { type: "integer", format: "int8" } },
    });
    expect(crdStrategy.warnings?.(odd, undefined)).toEqual([
      'unrecognized format "made-up"',
      'unrecognized format "int8"',
    ]);
    expect(crdStrategy.warnings?.(odd, odd)).toEqual([]);
  });

  test("reports where a rule is not CEL", () => {
    const path = "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule";
    expect(problemsOf(crd({ type: "object", "x-kubernetes-validations": [{ rule: "self.a > 1" }] }))).toEqual(
      [
        `${path}: Invalid value: {"Rule":"self.a \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'a'\n | self.a > 1\n | ....^`,
      ],
    );
  });

  test("reports defaults that the schema refuses", () => {
    const properties = { a: { type: "integer", default: "x" } };
    expect(problemsOf(crd({ type: "object", properties: { spec: { type: "object", properties } } }))).toEqual(
      [
        'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
      ],
    );
  });
});
