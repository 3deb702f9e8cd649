import { z } from "zod";
import {
  atomic,
  conditions,
  defineResource,
  duration,
  embeddedResource,
  immutable,
  intOrString,
  labelSelector,
  listMap,
  listSet,
  quantity,
  resourceRequirements,
  rule,
  sized,
} from "../../src/index.ts";

const port = z.object({
  name: z.string().max(10),
  port: z.int32().default(80),
  protocol: immutable(z.enum(["TCP", "UDP"]), "the protocol is final").optional(),
});

const range = rule(
  rule(z.object({ min: z.int(), max: z.int() }), {
    rule: "self.min <= self.max",
    message: "min must not be greater than max",
  }),
  { rule: "self.max != 0", message: "must not be zero", reason: "FieldValueForbidden", fieldPath: ".max" },
);

/** What means something else in RE2, if it is not translated. */
const javascriptOnly = ["^\\A[[:x]\\z$", "^\\s[\\S\\s]\\S$", "^[\\w-.]\\ud83d\\ude00$"].join("|");

/** Every feature of a schema once, each in a field of its own that may be left out. */
const spec = z.object({
  annotations: atomic(z.record(z.string(), z.string())).optional(),
  anything: z.unknown().optional(),
  at: z.iso.datetime({ offset: true }).optional(),
  bareNumber: z.int().gt(0.5).lt(3.5).optional(),
  bytes: z.base64().optional(),
  check: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("http"), path: z.string() }),
      z.object({ type: z.literal("tcp"), backlog: z.int32().optional() }),
    ])
    .nullable()
    .optional(),
  color: z.enum(["red", "blue"]).describe("What it looks like.").optional(),
  count: rule(rule(z.int32(), { rule: "self >= oldSelf", message: "must not shrink" }), {
    rule: "oldSelf.hasValue() || self < 10",
    message: "must start small",
    optionalOldSelf: true,
  }).optional(),
  day: z.iso.date().optional(),
  few: z.array(z.string()).min(1).max(2).optional(),
  fixed: immutable(z.string().max(10)).optional(),
  host: z.hostname().optional(),
  id: z.uuid().optional(),
  ip: z.ipv4().optional(),
  intText: z.union([z.int32(), z.string()]).optional(),
  javascript: z.string().regex(new RegExp(javascriptOnly)).optional(),
  labels: sized(
    z.record(
      z.string(),
      rule(z.string().max(20), {
        rule: "self != 'forbidden'",
        messageExpression: "self + ' is not allowed'",
      }),
    ),
    { max: 2 },
  ).optional(),
  letter: z
    .string()
    .regex(/^\p{Letter}$/u)
    .optional(),
  level: z.literal([1, 2]).optional(),
  loose: z.looseObject({}).optional(),
  mac: z.mac().optional(),
  mail: z.email().optional(),
  mailbox: z.email({ pattern: /@example\.com$/ }).optional(),
  memory: quantity().optional(),
  name: z
    .string()
    .min(1)
    .max(5)
    .regex(/^[a-z]*$/)
    .optional(),
  nested: z
    .object({ deep: z.string().default("down"), list: atomic(z.array(z.int())).default([1]) })
    .prefault({}),
  net: z.cidrv4().optional(),
  nothing: z.string().nullable().optional(),
  oneOfTwo: z.union([z.int32(), z.int().min(2 ** 40)]).optional(),
  pinned: immutable(z.string().max(10)).nullable().optional(),
  ports: listMap(port, ["name"]).max(10).optional(),
  range: range.optional(),
  ratio: z.number().gt(0).lt(1).optional(),
  resources: resourceRequirements().optional(),
  selector: labelSelector().optional(),
  size: z.int32().min(1).max(10).default(3),
  small: z.int32().optional(),
  step: z.int().multipleOf(5).optional(),
  tags: listSet(z.string()).optional(),
  target: intOrString().optional(),
  template: embeddedResource().optional(),
  timeout: rule(duration(), {
    rule: "self <= duration('24h')",
    message: "must be a day at most",
  }).optional(),
  unsigned: z.uint32().optional(),
  url: z.url().optional(),
  word: z.union([z.string().max(0), z.string().regex(/^[a-z]{3}$/)]).optional(),
  wrapped: z.string().startsWith("a").endsWith("z").optional(),
});

export type ProbeSpec = z.input<typeof spec>;

/** The version before: it knows the color only, and is on its way out. */
export const Old = defineResource({
  group: "schema.keelson.dev",
  version: "v1beta1",
  kind: "Probe",
  scope: "Namespaced",
  deprecated: "use schema.keelson.dev/v1",
  spec: z.looseObject({ color: z.string().optional() }),
});

export const Probe = defineResource({
  group: "schema.keelson.dev",
  version: "v1",
  kind: "Probe",
  scope: "Namespaced",
  shortNames: ["prb"],
  categories: ["probing"],
  spec,
  status: z.object({
    replicas: z.int32().optional(),
    phase: z.string().optional(),
    selector: z.string().optional(),
    conditions: conditions().optional(),
  }),
  rules: [{ rule: "self.metadata.name != 'forbidden-name'", message: "the name is taken" }],
  printerColumns: [
    { name: "Color", type: "string", jsonPath: ".spec.color" },
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "How far it is." },
    { name: "Size", type: "integer", jsonPath: ".spec.size", format: "int32", priority: 1 },
  ],
  scale: { specReplicasPath: ".spec.size", labelSelectorPath: ".status.selector" },
  selectableFields: [".spec.color"],
  versions: [Old],
});
