import { defineResource, type InputOf, type ObjectOf, z } from "keelson";
import { group } from "./names.ts";
import { spec } from "./spec.ts";
import { status } from "./status.ts";

/** The kind of secrets that workloads share: `kubectl get sharedsecrets`, or `shs` in short. */
export const SharedSecret = defineResource({
  group,
  version: "v1alpha1",
  kind: "SharedSecret",
  shortNames: ["shs"],
  description: "A secret that approved workloads share, and that is rotated",
  spec: spec.prefault({}),
  status,
  fields: z.object({
    podsRestartRequired: z
      .boolean()
      .default(false)
      .describe("Set to true to have all read-only consumers restarted; false again when they were"),
    secret: z
      .string()
      .default("")
      .describe("Not used: the operator empties it. The name of the Secret is in the status"),
  }),
  rules: [
    {
      // <name>-secret is the name of a Secret, <name> the value of a label.
      rule: "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 56",
      message:
        "the name of a SharedSecret has no dots and at most 56 characters, as other objects are named after it",
    },
  ],
  printerColumns: [
    { name: "Approved", type: "boolean", jsonPath: ".status.approved" },
    { name: "Consumers", type: "string", jsonPath: ".status.consumerCount" },
    { name: "Pending", type: "integer", jsonPath: ".status.pendingRequests" },
    { name: "Restarting", type: "boolean", jsonPath: ".status.podsRestartRequired" },
    { name: "Last Rotation", type: "date", jsonPath: ".status.rotation.lastTime" },
    { name: "Next Rotation", type: "string", jsonPath: ".status.rotation.nextTime" },
    {
      name: "Synced",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Synced")].status',
      priority: 1,
    },
    { name: "Problem", type: "string", jsonPath: ".status.rotation.problem", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

export type SharedSecret = ObjectOf<typeof SharedSecret>;

/** A SharedSecret as a user writes it. */
export type NewSharedSecret = InputOf<typeof SharedSecret>;
