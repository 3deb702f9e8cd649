import {
  envSources,
  envVariables,
  type Immutable,
  imagePullSecrets,
  immutable,
  resourceRequirements,
  rule,
  z,
} from "keelson";
import { readinessProbe, restartingProbe } from "./probe.ts";
import { componentIsImmutable, maxReplicas, specRules } from "./rules.ts";

const hostName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelValue = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const path = rule(z.string().max(1024).regex(/^\//), {
  rule: "!self.matches('//|/[.][.]?(/|$)|%2[fF]')",
  message: "must be a path without empty parts, without . and .. and without an encoded slash",
});

const ingress = z.object({
  host: z.string().max(253).regex(hostName).describe("The host name of the app, such as shop.example.com."),
  path: path.default("/").describe("The path of the app on the host."),
  className: z.string().min(1).exactOptional().describe("The IngressClass."),
  tls: z
    .object({ secretName: z.string().min(1) })
    .exactOptional()
    .describe("The Secret with the certificate of the host; without it, plain HTTP."),
  annotations: z.record(z.string(), z.string()).exactOptional().describe("Annotations of the Ingress."),
});

const autoscaling = z.object({
  minReplicas: z.int32().min(1).default(1),
  maxReplicas: z.int32().min(1).max(maxReplicas),
  targetCPUUtilizationPercentage: z
    .int32()
    .min(1)
    .default(80)
    .describe(
      "The average CPU usage of the pods that the autoscaler aims at, in percent of their CPU requests.",
    ),
});

const plainSpec = z.object({
  image: z.string().max(1024).describe("The image to run, with a tag or a digest."),
  replicas: z
    .int32()
    .default(1)
    .describe(`The number of pods, 0 to ${maxReplicas}; it has no effect with autoscaling.`),
  port: z.int32().min(1).max(65_535).default(80).describe("The port of the container and of the Service."),
  env: envVariables().exactOptional().describe("Environment variables of the container."),
  envFrom: envSources()
    .exactOptional()
    .describe("ConfigMaps and Secrets whose entries become environment variables."),
  resources: resourceRequirements()
    .exactOptional()
    .describe("Resource requests and limits of the container."),
  livenessProbe: restartingProbe().exactOptional().describe("Restarts the container when it fails."),
  readinessProbe: readinessProbe().exactOptional().describe("Keeps traffic away while it fails."),
  startupProbe: restartingProbe()
    .exactOptional()
    .describe("Holds the other probes back until it has succeeded."),
  serviceType: z.enum(["ClusterIP", "NodePort", "LoadBalancer"]).default("ClusterIP"),
  ingress: ingress
    .exactOptional()
    .describe("Makes the app reachable from outside the cluster by a host name."),
  autoscaling: autoscaling.exactOptional().describe("Lets an autoscaler choose the number of pods."),
  allowLatest: z.boolean().default(false).describe("Allows an image without a tag, or with the tag latest."),
  component: immutable(z.string().max(63).regex(labelValue), componentIsImmutable)
    .exactOptional()
    .describe("The component of a larger application that this is. Immutable."),
  imagePullSecrets: imagePullSecrets().exactOptional().describe("As in a pod."),
  serviceAccountName: z.string().min(1).exactOptional().describe("As in a pod."),
});

/** The spec of a web application, as it is stored: with defaults. */
export type WebAppSpec = Immutable<z.output<typeof plainSpec>>;

export type WebAppIngress = NonNullable<WebAppSpec["ingress"]>;

export type WebAppAutoscaling = NonNullable<WebAppSpec["autoscaling"]>;

export const webAppSpec = specRules.reduce(
  (schema, { rule: cel, field, message }) => rule(schema, { rule: cel, message, fieldPath: `.${field}` }),
  plainSpec,
);
