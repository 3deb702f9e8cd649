import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinSchema } from "../builtin/builtin-schemas.ts";
import { applySchemaDefaults } from "./custom-form.ts";
import { DecodeError, decodeBuiltin } from "./decode.ts";
import type { FieldSchema } from "./field-schema.ts";
import { JsonSyntaxError } from "./json-document.ts";
import { parseJson } from "./parse-json.ts";

function schemaOf(group: string, version: string, kind: string): FieldSchema {
  const schema = builtinSchema(group, version, kind);
  expect.assert(schema !== undefined);
  return schema;
}

const deployment = schemaOf("apps", "v1", "Deployment");
const configMap = schemaOf("", "v1", "ConfigMap");

describe("a value that does not fit its type is refused in the words of Go", () => {
  it.each([
    [
      '{"spec":{"replicas":"x"}}',
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"spec":{"replicas":1.5}}',
      "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"spec":{"replicas":1e20}}',
      "json: cannot unmarshal number 1e20 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"spec":{"replicas":99999999999}}',
      "json: cannot unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      '{"spec":[]}',
      "json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec",
    ],
    [
      '{"spec":{"template":{"spec":{"containers":{}}}}}',
      "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      '{"spec":{"template":{"spec":{"containers":[{"name":5}]}}}}',
      "json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string",
    ],
    [
      '{"metadata":{"labels":{"a":5}}}',
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      '{"metadata":{"labels":[]}}',
      "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
    ],
    [
      '{"metadata":{"creationTimestamp":"zz"}}',
      'parsing time "zz" as "2006-01-02T15:04:05Z07:00": cannot parse "zz" as "2006"',
    ],
    [
      '{"metadata":{"creationTimestamp":5}}',
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
    ],
    [
      '{"spec":{"paused":"yes"}}',
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool",
    ],
    [
      '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
      "json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32",
    ],
    [
      '{"spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":"abc"}}}]}}}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":5}',
      "json: cannot unmarshal number into Go struct field Deployment.metadata of type v1.ObjectMeta",
    ],
  ])("%s: %s", (text, message) => {
    expect(() => decodeBuiltin(parseJson(text), deployment)).toThrow(new DecodeError(message));
  });

  it.each([
    ['{"binaryData":{"a":"%%"}}', "illegal base64 data at input byte 0"],
    [
      '{"binaryData":{"a":5}}',
      "json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8",
    ],
    [
      '{"data":{"a":5,"b":true},"immutable":"x"}',
      "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
    ],
  ])("%s: %s", (text, message) => {
    expect(() => decodeBuiltin(parseJson(text), configMap)).toThrow(new DecodeError(message));
  });
});

describe("strict decoding", () => {
  it.each([
    [
      '{"metadata":{"name":"a"},"foo":1,"data":{"a":"1","a":"2"},"Data":{"b":"3"},"metadata":{"x":1,"name":"b"}}',
      [
        'unknown field "foo"',
        'duplicate field "data.a"',
        'unknown field "Data"',
        'duplicate field "metadata"',
        'unknown field "metadata.x"',
      ],
    ],
    [
      '{"metadata":{"Name":"a"},"zz":1,"aa":2,"aa":2}',
      ['unknown field "metadata.Name"', 'unknown field "zz"', 'unknown field "aa"'],
    ],
    [
      '{"Metadata":{"name":"a","zz":1},"zz":{"q":1,"q":2}}',
      ['unknown field "Metadata"', 'unknown field "zz"'],
    ],
    [
      '{"metadata":{"ownerReferences":[{"foo":1,"kind":"a","kind":"b"},{"foo":1}]}}',
      [
        'unknown field "metadata.ownerReferences[0].foo"',
        'duplicate field "metadata.ownerReferences[0].kind"',
        'unknown field "metadata.ownerReferences[1].foo"',
      ],
    ],
    ['{"data":{"a":"b"}}', []],
  ])("of %s reports, in the order of the text, %j", (text, problems) => {
    expect(decodeBuiltin(parseJson(text), configMap).strictProblems).toEqual(problems);
  });

  it("of the result of a patch reports unknown fields by name", () => {
    const decoded = decodeBuiltin({ value: { z: 1, metadata: { b: 1 } } }, configMap);
    expect(decoded.strictProblems).toEqual(['unknown field "metadata.b"', 'unknown field "z"']);
    expect(decoded.object).toEqual({ metadata: {} });
  });
});

it("drops nulls and empty fields that equal absent ones, and keeps the empty fields that do not", () => {
  const spec = {
    paused: false,
    minReadySeconds: 0,
    replicas: 0,
    template: {
      metadata: { labels: {}, creationTimestamp: null, annotations: { a: null } },
      spec: {
        containers: [{ name: "", env: [], tty: false, resources: null, command: ["a", null] }],
        hostNetwork: false,
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        volumes: [{ name: "v", emptyDir: {} }],
      },
    },
  };
  expect(decodeBuiltin({ value: { spec } }, deployment).object).toEqual({
    spec: {
      replicas: 0,
      template: {
        metadata: { annotations: { a: "" } },
        spec: {
          containers: [{ name: "", command: ["a", ""] }],
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          volumes: [{ name: "v", emptyDir: {} }],
        },
      },
    },
  });
});

it("writes quantities and times in their usual form", () => {
  const container = { name: "a", resources: { limits: { cpu: 0.5, memory: "1024Mi" } } };
  const { object } = decodeBuiltin(
    {
      value: {
        metadata: { creationTimestamp: "2026-01-01T01:00:00.5+01:00" },
        spec: { template: { spec: { containers: [container] } } },
      },
    },
    deployment,
  );
  expect(object).toMatchObject({
    metadata: { creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { template: { spec: { containers: [{ resources: { limits: { cpu: "500m", memory: "1Gi" } } }] } } },
  });
});

it("keeps schemas of definitions, which nest in themselves, and finds what is unknown in them", () => {
  const definition = schemaOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
  const schema = {
    type: "object",
    properties: {
      a: { type: "array", items: { type: "string", default: null, foo: 1 } },
      b: { type: "object", additionalProperties: { type: "string", bar: 1 } },
      c: { type: "object", additionalProperties: true },
    },
  };
  const value = { spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: schema } }] } };
  const path = "spec.versions[0].schema.openAPIV3Schema.properties";
  expect(decodeBuiltin(parseJson(JSON.stringify(value)), definition).strictProblems).toEqual([
    `unknown field "${path}.a.items.foo"`,
    `unknown field "${path}.b.additionalProperties.bar"`,
  ]);
});

it("the published defaults of built-in kinds are what the server always writes", () => {
  const pod: Record<string, unknown> = {
    spec: { containers: [{ name: "a", ports: [{ containerPort: 80 }] }] },
  };
  applySchemaDefaults(pod, schemaOf("", "v1", "Pod"));
  expect(pod).toEqual({
    metadata: {},
    spec: { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP" }], resources: {} }] },
    status: {},
  });
  const role: Record<string, unknown> = {};
  applySchemaDefaults(role, schemaOf("rbac.authorization.k8s.io", "v1", "Role"));
  expect(role).toEqual({ metadata: {}, rules: null });
});

it("an empty list that is always written is null, but in kinds that are stored as JSON", () => {
  const slice: Record<string, unknown> = { endpoints: [], ports: [] };
  applySchemaDefaults(slice, schemaOf("discovery.k8s.io", "v1", "EndpointSlice"));
  expect(slice).toMatchObject({ endpoints: null, ports: null });
  const definition: Record<string, unknown> = { status: { conditions: [], storedVersions: [] } };
  applySchemaDefaults(definition, schemaOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"));
  expect(definition).toMatchObject({ status: { conditions: [], storedVersions: [] } });
});

it("never fails but by refusing, whatever it is given", () => {
  const name = fc.constantFrom(
    "spec",
    "metadata",
    "template",
    "containers",
    "labels",
    "replicas",
    "resources",
    "x",
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium" },
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(name, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      try {
        const { object } = decodeBuiltin(parseJson(JSON.stringify(value)), deployment);
        applySchemaDefaults(object, deployment);
        const once = JSON.stringify(object);
        const again = decodeBuiltin({ value: JSON.parse(once) }, deployment).object;
        applySchemaDefaults(again, deployment);
        expect(again).toEqual(JSON.parse(once));
      } catch (error) {
        if (!(error instanceof DecodeError || error instanceof JsonSyntaxError)) throw error;
      }
    }),
  );
});
