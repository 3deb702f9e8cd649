import {
  conditions,
  defineResource,
  type Immutable,
  type InputOf,
  immutable,
  type ObjectOf,
  rule,
  z,
} from "keelson";
import { consumer, permissions } from "./consumer.ts";
import { count, objectName, time } from "./fields.ts";
import { group } from "./names.ts";

const spec = rule(
  z.object({
    secret: objectName.describe("The name of the SharedSecret, in the same namespace"),
    permission: z
      .enum(["Share", ...permissions])
      .describe(
        "Share: the SharedSecret may be shared, and is rotated every rotateSeconds. ReadOnly: the consumer gets the value. ReadWrite: it also rotates the value",
      ),
    consumer: consumer.exactOptional().describe("Who gets access; absent with permission Share"),
    rotateSeconds: count.exactOptional().describe("With permission Share: the rotation period; 0 for never"),
    requestedBy: z
      .string()
      .max(1024)
      .exactOptional()
      .describe("Who created the request; set by the operator's webhook"),
  }),
  {
    rule: "self.permission == 'Share' ? (!has(self.consumer) && has(self.rotateSeconds)) : (has(self.consumer) && !has(self.rotateSeconds))",
    message:
      "permission Share needs rotateSeconds and no consumer, the others need a consumer and no rotateSeconds",
  },
);

const status = z.object({
  observedGeneration: z.int().exactOptional(),
  decision: z
    .enum(["Pending", "Approved", "Denied", "Revoked"])
    .exactOptional()
    .describe("Written by an approver. Anything but Approved gives no access"),
  decidedBy: z.string().exactOptional().describe("Who decided; set by the operator's webhook"),
  decidedAt: time.exactOptional().describe("When it was decided; set by the operator's webhook"),
  conditions: conditions().exactOptional(),
});

/** A request for access to a SharedSecret and the decision about it: `kubectl get secretaccesses`, or `sac` in short. */
export const SecretAccess = defineResource({
  group,
  version: "v1alpha1",
  kind: "SecretAccess",
  plural: "secretaccesses",
  shortNames: ["sac"],
  description: "A request for access to a SharedSecret, and the decision about it",
  spec: immutable(spec, "must not be changed, as a decision is about it; create another SecretAccess"),
  status,
  printerColumns: [
    { name: "Secret", type: "string", jsonPath: ".spec.secret" },
    { name: "Permission", type: "string", jsonPath: ".spec.permission" },
    { name: "Namespace", type: "string", jsonPath: ".spec.consumer.namespace" },
    { name: "Kind", type: "string", jsonPath: ".spec.consumer.kind" },
    { name: "Consumer", type: "string", jsonPath: ".spec.consumer.name" },
    { name: "Decision", type: "string", jsonPath: ".status.decision" },
    { name: "By", type: "string", jsonPath: ".status.decidedBy" },
    { name: "Decided", type: "date", jsonPath: ".status.decidedAt" },
    { name: "Requested By", type: "string", jsonPath: ".spec.requestedBy", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

export type SecretAccess = ObjectOf<typeof SecretAccess>;

/** A SecretAccess as a user writes it. */
export type NewSecretAccess = InputOf<typeof SecretAccess>;

export type SecretAccessSpec = Immutable<z.output<typeof spec>>;
export type SecretAccessStatus = Immutable<z.output<typeof status>>;
export type Decision = NonNullable<SecretAccessStatus["decision"]>;
