import type { ApplyConfiguration, Stored } from "keelson";
import type { Ingress } from "keelson/kinds/networking/v1";
import { labelsOf } from "../../api/labels.ts";
import type { WebAppIngress } from "../../api/spec.ts";
import type { WebApp } from "../../api/web-app.ts";
import { portName } from "./service.ts";

export function makeIngress(webapp: Stored<WebApp>, ingress: WebAppIngress): ApplyConfiguration<Ingress> {
  const name = webapp.metadata.name;
  const { host, path, className, tls, annotations } = ingress;
  const backend = { service: { name, port: { name: portName } } };
  return {
    metadata: { name, labels: labelsOf(webapp), ...(annotations !== undefined && { annotations }) },
    spec: {
      ...(className !== undefined && { ingressClassName: className }),
      rules: [{ host, http: { paths: [{ path, pathType: "Prefix", backend }] } }],
      ...(tls !== undefined && { tls: [{ hosts: [host], secretName: tls.secretName }] }),
    },
  };
}
