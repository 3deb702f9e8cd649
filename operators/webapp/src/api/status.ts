import { conditions, type Immutable, z } from "keelson";

/** The phases of a WebApp, in their usual order. */
const phases = ["Created", "Reconciling", "WaitingForPodsReady", "Ready", "Scaling", "Deleting"] as const;

export type Phase = (typeof phases)[number];

export const webAppStatus = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that this status describes."),
  phase: z.enum(phases).exactOptional(),
  url: z.string().exactOptional().describe("The address of the app."),
  replicas: z.int32().exactOptional().describe("The number of pods, of any version."),
  readyReplicas: z.int32().exactOptional(),
  availableReplicas: z.int32().exactOptional(),
  selector: z.string().exactOptional().describe("Selects the pods, for autoscalers and kubectl scale."),
  conditions: conditions().exactOptional(),
});

/** What the operator has observed of a web application. */
export type WebAppStatus = Immutable<z.output<typeof webAppStatus>>;
