import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import { countIs, hasField, isGone, itemsOf, prepared, rolledOut } from "../kubectl/settling.ts";
import { idlePod } from "../kubectl/web.ts";
import { type Fields, manifest, service } from "../manifests.ts";
import { podTemplateOf, showAll, workloadOf } from "./pods-of.ts";

const slices = "discovery.k8s.io/v1:endpointslices";
const front = (spec: Fields = {}): Fields =>
  service("front", {
    selector: { app: "web" },
    ports: [{ name: "http", port: 80, targetPort: 8080 }],
    ...spec,
  });
const web = (replicas: number, annotations: Fields = {}): Fields =>
  workloadOf("Deployment", "web", { replicas, template: podTemplateOf("web", { annotations }) });

const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** The slices of all Services have so many endpoints. */
const endpointsAre = (count: number) => (stage: Stage) =>
  stage.until(stage.path(slices), (list) => {
    const endpoints = itemsOf(list).map((slice) => countOf(field(slice, "endpoints")));
    return endpoints.length > 0 && endpoints.reduce((sum, more) => sum + more, 0) === count;
  });

const byReadiness = (one: unknown, other: unknown): number =>
  Number(field(one, "conditions.ready")) - Number(field(other, "conditions.ready"));

/** The slices with their endpoints, which come in the order of a Go map: those that are not ready are shown first. */
async function showSlices(stage: Stage): Promise<void> {
  await showAll(stage, slices, [
    "metadata.labels",
    "metadata.generateName",
    "metadata.ownerReferences",
    "addressType",
    "ports",
  ]);
  const list = await stage.until(stage.path(slices), (response) => itemsOf(response).length > 0);
  const endpoints = itemsOf(list).flatMap((slice) => {
    const given = field(slice, "endpoints");
    return Array.isArray(given) ? given : [];
  });
  stage.record(
    "endpoints",
    endpoints.toSorted(byReadiness).map((endpoint) => ({
      addresses: countOf(field(endpoint, "addresses")),
      conditions: field(endpoint, "conditions"),
      hasNode: typeof field(endpoint, "nodeName") === "string",
      target: field(endpoint, "targetRef.kind"),
    })),
  );
}

export const serviceCases: CaseGroup = {
  title: "Services",
  cases: [
    conforms("endpoints follow the pods", async (stage) => {
      await prepared("services", front())(stage);
      await prepared("apps/v1:deployments", web(2))(stage);
      await rolledOut("web", 2)(stage);
      await endpointsAre(2)(stage);
      await stage.until(stage.path(slices), (list) => !JSON.stringify(list).includes('"ready":false'));
      await showSlices(stage);
      await stage.kubectl("get endpointslices");
    }),
    conforms("endpoints go with the pods", async (stage) => {
      await prepared("services", front())(stage);
      await prepared("apps/v1:deployments", web(1))(stage);
      await endpointsAre(1)(stage);
      await stage.kubectl("scale deployment web --replicas=0");
      await rolledOut("web", 0)(stage);
      await endpointsAre(0)(stage);
      await showSlices(stage);
    }),
    conforms("a pod that is not ready is an endpoint that is not ready", async (stage) => {
      await prepared("services", front())(stage);
      await prepared("apps/v1:deployments", web(1, { "hollow.keelson.dev/ready": "false" }))(stage);
      await endpointsAre(1)(stage);
      await showSlices(stage);
    }),
    conforms(
      "a pod that is not ready is published where the Service sets publishNotReadyAddresses",
      async (stage) => {
        await prepared("services", front({ clusterIP: "None", publishNotReadyAddresses: true }))(stage);
        await prepared("apps/v1:deployments", web(1, { "hollow.keelson.dev/ready": "false" }))(stage);
        await endpointsAre(1)(stage);
        await showSlices(stage);
      },
    ),
    conforms("a Service without pods has an empty slice", async (stage) => {
      await prepared("services", front())(stage);
      await endpointsAre(0)(stage);
      await showSlices(stage);
    }),
    conforms("a pod without an address is no endpoint", async (stage) => {
      await prepared("services", front())(stage);
      await prepared("pods", idlePod("web"))(stage);
      await endpointsAre(0)(stage);
      await showSlices(stage);
    }),
    conforms("slices go with the Service", async (stage) => {
      await prepared("services", front())(stage);
      await countIs(slices, 1)(stage);
      await stage.kubectl("delete service front");
      await countIs(slices, 0)(stage);
      await isGone("endpoints/front")(stage);
    }),
    conforms("Endpoints are kept beside the slices", async (stage) => {
      await prepared("services", front())(stage);
      await prepared("apps/v1:deployments", web(1))(stage);
      await rolledOut("web", 1)(stage);
      await stage.until(stage.path("endpoints/front"), (object) => {
        const subsets = field(object, "subsets");
        return countOf(subsets) === 1 && !JSON.stringify(subsets).includes("notReadyAddresses");
      });
      await stage.kubectl("get endpoints front -o jsonpath={.subsets}{.metadata.labels}");
      await stage.kubectl("get endpoints front");
    }),
    conforms("a named port is that of the container", async (stage) => {
      const containers = [
        { name: "main", image: "web:1", ports: [{ name: "web", containerPort: 8443, protocol: "TCP" }] },
      ];
      const template = podTemplateOf("web", { spec: { containers } });
      await prepared("services", front({ ports: [{ port: 443, targetPort: "web" }] }))(stage);
      await prepared(
        "apps/v1:deployments",
        workloadOf("Deployment", "web", { replicas: 1, template }),
      )(stage);
      await rolledOut("web", 1)(stage);
      await endpointsAre(1)(stage);
      await stage.until(stage.path(slices), (list) => {
        const text = JSON.stringify(list);
        return text.includes("8443") && !text.includes('"ready":false');
      });
      await showSlices(stage);
    }),
    conforms("Endpoints that a user wrote are mirrored into slices", async (stage) => {
      await prepared("services", service("bare"))(stage);
      const written = (ip: string): Fields =>
        manifest("v1", "Endpoints", "bare", {
          metadata: { labels: { team: "db" }, annotations: { note: "by hand" } },
          subsets: [{ addresses: [{ ip }], notReadyAddresses: [{ ip: "1.2.3.9" }], ports: [{ port: 80 }] }],
        });
      await prepared("endpoints", written("1.2.3.4"))(stage);
      await endpointsAre(2)(stage);
      await showSlices(stage);
      await showAll(stage, slices, ["metadata.annotations"]);
      const body = JSON.stringify(written("1.2.3.5"));
      await stage.quietly({ method: "PUT", path: stage.path("endpoints/bare"), body });
      await stage.until(stage.path(slices), (list) => JSON.stringify(list).includes("1.2.3.5"));
      await showSlices(stage);
      await stage.kubectl("delete endpoints bare");
      await countIs(slices, 0)(stage);
    }),
    conforms("a Service without a selector has no slices", async (stage) => {
      await prepared("services", service("bare"))(stage);
      await prepared("services", front())(stage);
      await countIs(slices, 1)(stage);
      await hasField("services/bare", "metadata.name", "bare")(stage);
      await showSlices(stage);
    }),
  ],
};
