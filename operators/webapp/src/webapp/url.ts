import type { Service } from "keelson/kinds/core/v1";
import type { WebApp } from "../api/web-app.ts";

/** The address of the app: outside the cluster if it has one there, otherwise inside. */
export function urlOf({ metadata, spec }: WebApp, service: Service | undefined): string {
  const { ingress, port } = spec;
  if (ingress !== undefined) {
    const { host, path, tls } = ingress;
    return `${tls === undefined ? "http" : "https"}://${host}${path === "/" ? "" : path}`;
  }
  const host = loadBalancerHost(spec.serviceType, service) ?? `${metadata.name}.${metadata.namespace}.svc`;
  return `http://${host}${port === 80 ? "" : `:${port}`}`;
}

function loadBalancerHost(type: string, service: Service | undefined): string | undefined {
  if (type !== "LoadBalancer") return undefined;
  const [address] = service?.status?.loadBalancer?.ingress ?? [];
  if (address?.hostname !== undefined) return address.hostname;
  return address?.ip?.includes(":") === true ? `[${address.ip}]` : address?.ip;
}
