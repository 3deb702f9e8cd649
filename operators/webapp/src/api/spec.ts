import {
  envSources,
  envVariables,
  imagePullSecrets,
  immutable,
  resourceRequirements,
  rule,
  z,
} from "keelson";
import type { Probe } from "keelson/kinds/core/v1";
import type { EnvSource, EnvVariables, ImagePullSecret, ResourceRequirements } from "keelson/schema";
import { probe } from "./probe.ts";
import { componentIsImmutable, maxReplicas, specRules } from "./rules.ts";

/** A host name under which the app is reached from outside. */
export interface WebAppIngress {
  readonly host: string;
  readonly path: string;
  /** Default: the cluster's. */
  readonly className?: string;
  /** The Secret with the certificate of the host. Without it: plain HTTP. */
  readonly tls?: { readonly secretName: string };
  /** For the ingress controller or a certificate manager. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How many pods there may be; an autoscaler chooses. */
export interface WebAppAutoscaling {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage: number;
}

/** What a user wants of a web application, with the defaults filled in. */
export interface WebAppSpec {
  readonly image: string;
  /** Left to the autoscaler where there is one. */
  readonly replicas: number;
  /** On which the container listens, and under which the Service is reached. */
  readonly port: number;
  readonly env?: EnvVariables;
  readonly envFrom?: readonly EnvSource[];
  readonly resources?: ResourceRequirements;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly serviceType: "ClusterIP" | "NodePort" | "LoadBalancer";
  readonly ingress?: WebAppIngress;
  readonly autoscaling?: WebAppAutoscaling;
  /** Whether the image may float: no tag, or `latest`. */
  readonly allowLatest: boolean;
  /** What it is within a larger application, such as `frontend`. Selects the pods, and so cannot change. */
  readonly component?: string;
  readonly imagePullSecrets?: readonly ImagePullSecret[];
  readonly serviceAccountName?: string;
}

/** The spec as a user may write it. */
export type WebAppSpecInput = Optional<
  Omit<WebAppSpec, "ingress" | "autoscaling">,
  "replicas" | "port" | "serviceType" | "allowLatest"
> & {
  readonly ingress?: Optional<WebAppIngress, "path">;
  readonly autoscaling?: Optional<WebAppAutoscaling, "minReplicas" | "targetCPUUtilizationPercentage">;
};

type Optional<T, Keys extends keyof T> = Omit<T, Keys> & { readonly [Key in Keys]?: T[Key] | undefined };

const hostName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelValue = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const ingress = z.object({
  host: z.string().max(253).regex(hostName).describe("The host name of the app, such as shop.example.com."),
  path: z.string().regex(/^\//).default("/").describe("Below which path of the host the app is."),
  className: z.string().min(1).exactOptional().describe("Which ingress controller serves it."),
  tls: z
    .object({ secretName: z.string().min(1) })
    .exactOptional()
    .describe("The Secret with the certificate of the host; without it: plain HTTP."),
  annotations: z.record(z.string(), z.string()).exactOptional().describe("Annotations of the Ingress."),
});

const autoscaling = z.object({
  minReplicas: z.int32().min(1).default(1),
  maxReplicas: z.int32().min(1).max(maxReplicas),
  targetCPUUtilizationPercentage: z
    .int32()
    .min(1)
    .default(80)
    .describe("How busy the pods may be on average, in percent of the CPU that they request."),
});

const plainSpec = z.object({
  image: z.string().max(1024).describe("The image to run, with a tag or a digest."),
  replicas: z
    .int32()
    .default(1)
    .describe(`How many pods run, 0 to ${maxReplicas}; left to the autoscaler if there is one.`),
  port: z
    .int32()
    .min(1)
    .max(65_535)
    .default(80)
    .describe("On which the container listens and the Service too."),
  env: envVariables().exactOptional().describe("Variables of the container."),
  envFrom: envSources().exactOptional().describe("ConfigMaps and Secrets whose entries are variables."),
  resources: resourceRequirements().exactOptional().describe("What the container requests, and its limits."),
  livenessProbe: probe().exactOptional().describe("Restarts the container when it fails."),
  readinessProbe: probe().exactOptional().describe("Keeps traffic away while it fails."),
  startupProbe: probe().exactOptional().describe("Holds the other probes back until it has succeeded."),
  serviceType: z.enum(["ClusterIP", "NodePort", "LoadBalancer"]).default("ClusterIP"),
  ingress: ingress.exactOptional().describe("Under which host name the app is reached from outside."),
  autoscaling: autoscaling.exactOptional().describe("Lets an autoscaler choose how many pods run."),
  allowLatest: z.boolean().default(false).describe("Allows an image without a tag, or with the tag latest."),
  component: immutable(z.string().max(63).regex(labelValue), componentIsImmutable)
    .exactOptional()
    .describe("What it is within a larger application. Cannot be changed."),
  imagePullSecrets: imagePullSecrets().exactOptional().describe("As in a pod."),
  serviceAccountName: z.string().min(1).exactOptional().describe("As in a pod."),
});

export const webAppSpec: z.ZodType<WebAppSpec, WebAppSpecInput> = specRules.reduce(
  (schema, { rule: cel, field, message }) => rule(schema, { rule: cel, message, fieldPath: `.${field}` }),
  plainSpec,
);
