import { type CaseGroup, type Creation, conforms, creations } from "../conformance-case.ts";
import { field } from "../stage.ts";
import { type Fields, manifest, service } from "./manifests.ts";

const ingress = (spec: Fields): Fields => manifest("networking.k8s.io/v1", "Ingress", "a", { spec });
const path = (fields: Fields): Fields =>
  ingress({
    rules: [
      {
        http: {
          paths: [
            {
              path: "/",
              pathType: "Prefix",
              backend: { service: { name: "s", port: { number: 80 } } },
              ...fields,
            },
          ],
        },
      },
    ],
  });
const policy = (spec: Fields): Fields => manifest("networking.k8s.io/v1", "NetworkPolicy", "a", { spec });
const slice = (fields: Fields): Fields =>
  manifest("discovery.k8s.io/v1", "EndpointSlice", "a", { addressType: "IPv4", endpoints: [], ...fields });

export const serviceCases: CaseGroup = {
  title: "validation of services and networks",
  cases: [
    ...creations([
      ["a Service has ports", "services", manifest("v1", "Service", "a", { spec: {} })],
      [
        "a Service with several ports names them",
        "services",
        service("a", { ports: [{ port: 80 }, { port: 81 }] }),
      ],
      [
        "a Service's ports have different names",
        "services",
        service("a", {
          ports: [
            { name: "a", port: 80 },
            { name: "a", port: 81 },
          ],
        }),
      ],
      [
        "a Service's ports are different",
        "services",
        service("a", {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 80 },
          ],
        }),
      ],
      ["a Service's port is a port", "services", service("a", { ports: [{ port: 0 }] })],
      [
        "a Service's protocol is one of three",
        "services",
        service("a", { ports: [{ port: 80, protocol: "HTTP" }] }),
      ],
      [
        "a Service's target is a port",
        "services",
        service("a", { ports: [{ port: 80, targetPort: 99_999 }] }),
      ],
      [
        "a Service's target is the name of a port",
        "services",
        service("a", { ports: [{ port: 80, targetPort: "-" }] }),
      ],
      ["a Service's type is one of four", "services", service("a", { type: "Magic" })],
      ["a Service's address is an address", "services", service("a", { clusterIP: "nowhere" })],
      ["a Service's address is of the range", "services", service("a", { clusterIP: "192.0.2.1" })],
      [
        "a Service's port on the nodes is of the range",
        "services",
        service("a", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] }),
      ],
      [
        "a Service within the cluster has no port on the nodes",
        "services",
        service("a", { ports: [{ port: 80, nodePort: 30_123 }] }),
      ],
      [
        "a Service with another name has that name",
        "services",
        manifest("v1", "Service", "a", { spec: { type: "ExternalName" } }),
      ],
      [
        "a Service with another name has no address",
        "services",
        manifest("v1", "Service", "a", {
          spec: { type: "ExternalName", externalName: "b.example.com", clusterIP: "10.0.0.1" },
        }),
      ],
      ["a Service's affinity is one of two", "services", service("a", { sessionAffinity: "Loyal" })],
      [
        "a Service's traffic policy needs its type",
        "services",
        service("a", { externalTrafficPolicy: "Local" }),
      ],
      ["a Service's selector has labels", "services", service("a", { selector: { "a b": "c" } })],
      [
        "a Service's outer addresses are addresses",
        "services",
        service("a", { externalIPs: ["nowhere", "127.0.0.1"] }),
      ],
      [
        "a Service's sources are ranges of addresses",
        "services",
        service("a", {
          type: "LoadBalancer",
          loadBalancerSourceRanges: [
            "nowhere",
            " 192.0.2.0/24 ",
            "192.0.2.1/24",
            "192.0.02.0/24",
            "2001:db8::/129",
          ],
        }),
      ],
      ["an Ingress has rules or a backend", "networking.k8s.io/v1:ingresses", ingress({})],
      ["an Ingress's path begins with a slash", "networking.k8s.io/v1:ingresses", path({ path: "x" })],
      ...["//x", "/./x", "/../x", "/a%2fb", "/a%2Fb", "/a/..", "/."].map(
        (unclear): Creation => [
          `an Ingress's path means one thing, unlike ${unclear}`,
          "networking.k8s.io/v1:ingresses",
          path({ path: unclear }),
        ],
      ),
      [
        "an Ingress's path of another type may be anything",
        "networking.k8s.io/v1:ingresses",
        path({ path: "/a//b(/|$)(.*)", pathType: "ImplementationSpecific" }),
      ],
      [
        "an Ingress's backend is a resource with a name",
        "networking.k8s.io/v1:ingresses",
        ingress({ defaultBackend: { resource: { apiGroup: "x_", kind: "a/b" } } }),
      ],
      [
        "an Ingress has one class",
        "networking.k8s.io/v1:ingresses",
        {
          ...ingress({
            ingressClassName: "one",
            defaultBackend: { service: { name: "s", port: { number: 80 } } },
          }),
          metadata: { name: "a", annotations: { "kubernetes.io/ingress.class": "other" } },
        },
      ],
      ["an Ingress's path has a type", "networking.k8s.io/v1:ingresses", path({ pathType: undefined })],
      [
        "an Ingress's path has a type that exists",
        "networking.k8s.io/v1:ingresses",
        path({ pathType: "Fuzzy" }),
      ],
      [
        "an Ingress's backend is complete",
        "networking.k8s.io/v1:ingresses",
        path({ backend: { service: { name: "s" } } }),
      ],
      [
        "an Ingress's host is a DNS name",
        "networking.k8s.io/v1:ingresses",
        ingress({ rules: [{ host: "192.0.2.1" }, { host: "*.*.example.com" }] }),
      ],
      [
        "a NetworkPolicy's types are two",
        "networking.k8s.io/v1:networkpolicies",
        policy({ podSelector: {}, policyTypes: ["Sideways"] }),
      ],
      [
        "a NetworkPolicy's peers have one form",
        "networking.k8s.io/v1:networkpolicies",
        policy({ podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "nowhere" }, podSelector: {} }] }] }),
      ],
      [
        "a NetworkPolicy's ports are in order",
        "networking.k8s.io/v1:networkpolicies",
        policy({ podSelector: {}, ingress: [{ ports: [{ port: 80, endPort: 70 }] }] }),
      ],
      [
        "an EndpointSlice's addresses are of its type",
        "discovery.k8s.io/v1:endpointslices",
        slice({ endpoints: [{ addresses: ["::1"] }, { addresses: [] }] }),
      ],
      ["an EndpointSlice has a type", "discovery.k8s.io/v1:endpointslices", slice({ addressType: "Street" })],
    ]),
    conforms("a Service keeps its address", async (stage) => {
      await stage.prepare(stage.path("services"), service("a"));
      await stage.patch(stage.path("services/a"), { spec: { clusterIP: "10.0.0.250" } });
      await stage.patch(stage.path("services/a"), { spec: { clusterIP: "", clusterIPs: null } });
    }),
    conforms("a Service changes its type and gives up its ports on the nodes", async (stage) => {
      await stage.prepare(stage.path("services"), service("a", { type: "NodePort" }));
      await stage.patch(stage.path("services/a"), { spec: { type: "ClusterIP" } });
      await stage.patch(stage.path("services/a"), {
        spec: { type: "ExternalName", externalName: "b.example.com" },
      });
    }),
    conforms("a port for two protocols has one port on the nodes", async (stage) => {
      const ports = [
        { name: "stream", port: 53 },
        { name: "message", port: 53, protocol: "UDP" },
        { name: "other", port: 54 },
      ];
      const made = await stage.create(stage.path("services"), service("a", { type: "NodePort", ports }));
      const given = field(made, "spec.ports");
      const onNodes = (Array.isArray(given) ? given : []).map((port) => field(port, "nodePort"));
      stage.record(
        "which are the same",
        onNodes.map((port) => onNodes.indexOf(port)),
      );
    }),
    conforms("a Service's ports do not share a port on the nodes", async (stage) => {
      // Of those that no server gives to a Service that names none.
      const nodePort = 30_083;
      const ports = (protocol: string): readonly Fields[] => [
        { name: "a", port: 80, nodePort },
        { name: "b", port: 81, nodePort, protocol },
      ];
      await stage.create(stage.path("services"), service("a", { type: "NodePort", ports: ports("TCP") }));
      await stage.create(stage.path("services"), service("b", { type: "NodePort", ports: ports("UDP") }));
    }),
    conforms("an EndpointSlice counts changes of its labels too", async (stage) => {
      const ports = [{ name: "web", port: 80 }];
      await stage.prepare(stage.path("discovery.k8s.io/v1:endpointslices"), slice({ ports }));
      const path = stage.path("discovery.k8s.io/v1:endpointslices/a");
      await stage.patch(path, { metadata: { annotations: { a: "b" } } });
      await stage.patch(path, { metadata: { labels: { a: "b" } } });
    }),
    conforms("an EndpointSlice keeps its type of addresses", async (stage) => {
      await stage.prepare(stage.path("discovery.k8s.io/v1:endpointslices"), slice({}));
      await stage.patch(stage.path("discovery.k8s.io/v1:endpointslices/a"), { addressType: "IPv6" });
    }),
  ],
};
