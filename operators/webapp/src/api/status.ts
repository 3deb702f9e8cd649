import { conditions, type Immutable, z } from "keelson";

/** The states of a WebApp's life, in the order in which they come. */
const phases = ["Created", "Reconciling", "WaitingForPodsReady", "Ready", "Scaling", "Deleting"] as const;

export type Phase = (typeof phases)[number];

export const webAppStatus = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that this status describes."),
  phase: z.enum(phases).exactOptional(),
  url: z.string().exactOptional().describe("The address of the app."),
  replicas: z.int32().exactOptional().describe("How many pods there are, of any version."),
  readyReplicas: z.int32().exactOptional(),
  availableReplicas: z.int32().exactOptional(),
  selector: z.string().exactOptional().describe("Selects the pods, for autoscalers and kubectl scale."),
  conditions: conditions().exactOptional(),
});

/** What the operator has observed of a web application. */
export type WebAppStatus = Immutable<z.output<typeof webAppStatus>>;
