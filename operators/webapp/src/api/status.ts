import { type Condition, conditions, type Keyed, z } from "keelson";

/** The states of a WebApp's life, in the order in which they come. */
const phases = ["Created", "Reconciling", "WaitingForPodsReady", "Ready", "Scaling", "Deleting"] as const;

export type Phase = (typeof phases)[number];

/** What the operator has observed of a web application. */
export interface WebAppStatus {
  /** Up to which change of the spec this is true. */
  readonly observedGeneration?: number;
  readonly phase?: Phase;
  /** Under which address the app is reached. */
  readonly url?: string;
  /** How many pods there are, of any version. */
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  /** Selects the pods, for the autoscalers and for `kubectl scale`. */
  readonly selector?: string;
  readonly conditions?: Keyed<Condition, "type">;
}

export const webAppStatus: z.ZodType<WebAppStatus, WebAppStatus> = z.object({
  observedGeneration: z.int().exactOptional(),
  phase: z.enum(phases).exactOptional(),
  url: z.string().exactOptional(),
  replicas: z.int32().exactOptional(),
  readyReplicas: z.int32().exactOptional(),
  availableReplicas: z.int32().exactOptional(),
  selector: z.string().exactOptional(),
  conditions: conditions().exactOptional(),
});
