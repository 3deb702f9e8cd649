import type { Client } from "@keelson/client";
import { type ApiUse, type Clock, groupResourceOf, type Listen, type Resource } from "@keelson/core";
import { liveReads } from "../controller/run.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Admission } from "../webhook/admission.ts";
import type { CertificateSource } from "../webhook/certificate-source.ts";
import type { Conversion } from "../webhook/conversion.ts";
import { ManagedCertificates } from "../webhook/managed-certificates.ts";
import type { RotationRules } from "../webhook/rotation-plan.ts";
import { keepConfigurations, type WebhookEndpoint } from "../webhook/webhook-configurations.ts";
import { defaultWebhookPort, serveWebhooks, WebhookServer } from "../webhook/webhook-server.ts";
import type { GroupRunnable } from "./runnable.ts";

/** Certificates that the manager issues itself, and the webhook configurations that it keeps up to date [WH9]. */
export interface ManagedWebhooks {
  /** The Secret that all replicas share. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The name of the webhook configurations. */
  readonly name: string;
  /** Where the API server finds the webhooks; a function is called with the open port. */
  readonly endpoint: WebhookEndpoint | ((port: number) => WebhookEndpoint);
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules?: Partial<RotationRules>;
  /** How often Secret and configurations are checked. Default 10 s. */
  readonly intervalMs?: number;
}

/** Where webhooks are served, and with which certificates. */
export interface ManagerWebhookOptions {
  /** Default 9443. 0 takes any free port; a negative port serves nothing [WH6]. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** Managed; or from another source, such as files of cert-manager, which then also maintains the configurations. */
  readonly certificates: CertificateSource | ManagedWebhooks;
}

/** Webhooks to serve. */
export interface WebhookSet {
  readonly admissions?: readonly Admission[];
  readonly conversions?: readonly Conversion[];
  /** The kinds whose CustomResourceDefinitions name this server as their conversion webhook, if it manages them. */
  readonly converted?: readonly Resource[];
}

export interface WebhookDependencies {
  readonly client: Client;
  /** Reads from the cache; for the handlers, so it writes whether this replica leads or not. */
  readonly cachedClient: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly listen: Listen;
  /** The namespaces that the manager is limited to; undefined if it is not. */
  readonly namespaces: readonly string[] | undefined;
  readonly metrics: Pick<Metrics, "webhooks" | "certificates">;
  readonly onListening: (port: number) => void;
}

/** All webhooks of a manager. They are collected until it starts. */
export class ManagerWebhooks {
  readonly #options: ManagerWebhookOptions;
  readonly #dependencies: WebhookDependencies;
  readonly #admissions: Admission[] = [];
  readonly #conversions: Conversion[] = [];
  readonly #converted: Resource[] = [];
  readonly #listening = Promise.withResolvers<number>();

  constructor(options: ManagerWebhookOptions, dependencies: WebhookDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
  }

  add({ admissions = [], conversions = [], converted = [] }: WebhookSet): void {
    this.#admissions.push(...admissions);
    this.#conversions.push(...conversions);
    this.#converted.push(...converted);
  }

  /** The server, ready as soon as it listens; undefined if there is nothing to serve. Throws if two webhooks have one path. */
  runnable(): GroupRunnable | undefined {
    const { port = defaultWebhookPort, host } = this.#options;
    if (!this.#hasWork) return undefined;
    const { client, cachedClient, clock, log, listen, metrics } = this.#dependencies;
    const server = new WebhookServer({
      client: cachedClient,
      liveClient: liveReads(client, cachedClient),
      admissions: this.#admissions,
      conversions: this.#conversions,
      clock,
      logger: log,
      observer: metrics.webhooks,
    });
    const certificates = this.#certificates();
    return {
      name: "webhooks",
      run: (signal, onReady) => {
        const onListening = (opened: number): void => {
          this.#listening.resolve(opened);
          this.#dependencies.onListening(opened);
          onReady();
        };
        const options = { server, certificates, listen, port, onListening };
        return serveWebhooks({ ...options, ...(host !== undefined && { host }) }, signal);
      },
    };
  }

  /** The uses of managed certificates and configurations [WH9]; none if there is nothing to serve. */
  get uses(): readonly ApiUse[] {
    const { certificates } = this.#options;
    if (!isManaged(certificates) || !this.#hasWork) return [];
    const { secret, name } = certificates;
    const onSecret = ["get", "create", "update"].map((verb) => ({
      ...{ verb, group: "", resource: "secrets" },
      ...secret,
    }));
    const onConfigurations = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"].flatMap(
      (resource) =>
        ["get", "create", "patch", "delete"].map((verb) => ({
          ...{ verb, group: "admissionregistration.k8s.io", resource, name },
        })),
    );
    const onDefinitions = this.#converted.flatMap((resource) =>
      ["get", "patch"].map((verb) => ({
        ...{ verb, group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
        name: groupResourceOf(resource),
      })),
    );
    return [...onSecret, ...onConfigurations, ...onDefinitions];
  }

  get #hasWork(): boolean {
    const { port = defaultWebhookPort } = this.#options;
    return port >= 0 && this.#admissions.length + this.#conversions.length > 0;
  }

  #certificates(): CertificateSource {
    const { certificates, port = defaultWebhookPort } = this.#options;
    if (!isManaged(certificates)) return certificates;
    const { client, clock, log, metrics, namespaces } = this.#dependencies;
    const { secret, name, endpoint, labels, rules, intervalMs } = certificates;
    const endpointAt = typeof endpoint === "function" ? endpoint : () => endpoint;
    const keeping = this.#listening.promise.then((opened) =>
      keepConfigurations(client, {
        name,
        endpoint: endpointAt(opened),
        admissions: this.#admissions,
        converted: this.#converted,
        ...(labels !== undefined && { labels }),
        ...(namespaces !== undefined && { namespaces }),
      }),
    );
    return new ManagedCertificates({
      client,
      secret,
      hosts: hostsOf(endpointAt(port)),
      inject: async (caBundle, signal) => (await keeping)(caBundle, signal),
      clock,
      logger: log,
      ...(rules !== undefined && { rules }),
      ...(intervalMs !== undefined && { intervalMs }),
      observer: metrics.certificates,
    });
  }
}

function isManaged(certificates: CertificateSource | ManagedWebhooks): certificates is ManagedWebhooks {
  return "secret" in certificates;
}

/** The host names by which the API server reaches the endpoint. */
function hostsOf(endpoint: WebhookEndpoint): readonly string[] {
  if ("url" in endpoint) return [new URL(endpoint.url).hostname.replace(/^\[|\]$/g, "")];
  const { namespace, name } = endpoint.service;
  return [`${name}.${namespace}.svc`];
}
