import type { Stored } from "keelson";
import { describe, expect, it } from "vitest";
import type { ServiceStatus } from "../api/cluster.ts";
import type { HelmRelease, Manifests } from "../neighbours/addons.ts";
import type { Reservation } from "../neighbours/zenith.ts";
import { addonKey, type ServicePlan, servicesOf } from "./services.ts";

const cluster = { namespace: "shop", name: "demo" };
const stored = { uid: "0", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const helm = {
  "meta.helm.sh/release-namespace": "monitoring-system",
  "meta.helm.sh/release-name": "kube-prometheus-stack-client",
};
const ready = { phase: "Ready", subdomain: "abc", fqdn: "abc.zenith.example" };

interface Choice {
  readonly namespace?: string;
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly status?: NonNullable<Reservation["status"]>;
}

function reservation(choice: Choice = {}): Stored<Reservation> {
  const { namespace = "monitoring-system", name = "kube-prometheus-stack-client" } = choice;
  const { annotations = helm, status = ready } = choice;
  return {
    apiVersion: "zenith.stackhpc.com/v1alpha1",
    kind: "Reservation",
    metadata: { ...stored, namespace, name, annotations },
    status,
  };
}

interface AddonChoice {
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string | undefined>>;
}

function addon(kind: string, { namespace = "shop", name = "demo-addon", labels = {} }: AddonChoice = {}) {
  const all: Record<string, string | undefined> = {
    "addons.stackhpc.com/cluster": "demo",
    "addons.stackhpc.com/release-namespace": "monitoring-system",
    "addons.stackhpc.com/release-name": "kube-prometheus-stack-client",
    "capi.stackhpc.com/cluster": "demo",
    ...labels,
  };
  const entries = Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return {
    apiVersion: "addons.stackhpc.com/v1alpha1",
    kind,
    metadata: { ...stored, namespace, name, labels: Object.fromEntries(entries) },
  };
}

const helmRelease = (choice?: AddonChoice): Stored<HelmRelease> => addon("HelmRelease", choice);
const manifests = (choice?: AddonChoice): Stored<Manifests> => addon("Manifests", choice);

function plan(
  reservations: readonly Stored<Reservation>[],
  addons: { readonly helmReleases?: Stored<HelmRelease>[]; readonly manifests?: Stored<Manifests>[] },
): ServicePlan {
  return servicesOf(reservations, { cluster, helmReleases: [], manifests: [], ...addons });
}

/** The services that each addon is annotated with, by the addon's key. */
function annotated({ annotations }: ServicePlan): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...annotations].map(([key, text]) => [key, text === undefined ? undefined : JSON.parse(text)]),
  );
}

function onlyService({ services }: ServicePlan): readonly [string, ServiceStatus] {
  const [entry, ...more] = Object.entries(services);
  if (entry === undefined || more.length > 0)
    throw new Error(`there is not one service: ${Object.keys(services)}`);
  return entry;
}

describe("the name of a service", () => {
  it.each([
    ["monitoring-system", "kube-prometheus-stack-client", "monitoring-system-kube-prometheus-stack-client"],
    ["jupyter", "jupyter-hub", "jupyter-hub"],
    ["jupyter", "jupyter", "jupyter"],
    ["jup", "jupyter", "jupyter"],
    ["hub", "jupyter-hub", "hub-jupyter-hub"],
  ])("G.4: of %s/%s is %s", (namespace, name, expected) => {
    const [service] = onlyService(
      plan([reservation({ namespace, name })], { helmReleases: [helmRelease()] }),
    );
    expect(service).toBe(expected);
  });

  it("is taken from the first Reservation by namespace and name if two have the same", () => {
    const first = reservation({ namespace: "a", name: "b-c", status: { ...ready, subdomain: "first" } });
    const second = reservation({ namespace: "a-b", name: "c", status: { ...ready, subdomain: "second" } });
    const addons = { helmReleases: [helmRelease()] };
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const [name, { subdomain }] = onlyService(plan(order, addons));
      expect([name, subdomain]).toEqual(["a-b-c", "first"]);
    }
  });
});

describe("the status of a service", () => {
  const statusOf = (choice: Choice): ServiceStatus =>
    onlyService(plan([reservation(choice)], { helmReleases: [helmRelease()] }))[1];

  it("G.4: has the subdomain and the FQDN of the Reservation's status", () => {
    expect(statusOf({ status: { phase: "Ready", subdomain: "x", fqdn: "x.example" } })).toMatchObject({
      subdomain: "x",
      fqdn: "x.example",
    });
  });

  it.each([
    ["the annotation, trimmed", "  Monitoring \n", "Monitoring"],
    ["made of the name of the Reservation without one", undefined, "Kube Prometheus Stack Client"],
    ["made of the name if the annotation is blank", "  ", "Kube Prometheus Stack Client"],
  ])("G.4: has a label that is %s", (_, annotation, label) => {
    const own = annotation === undefined ? {} : { "azimuth.stackhpc.com/service-label": annotation };
    expect(statusOf({ annotations: { ...helm, ...own } }).label).toBe(label);
  });

  it("G.4: has the icon and the description of the annotations, and neither without them", () => {
    const shown = {
      "azimuth.stackhpc.com/service-icon-url": "https://example.com/icon.png",
      "azimuth.stackhpc.com/service-description": "Graphs",
    };
    expect(statusOf({ annotations: { ...helm, ...shown } })).toMatchObject({
      iconUrl: "https://example.com/icon.png",
      description: "Graphs",
    });
    expect(Object.keys(statusOf({}))).toEqual(["subdomain", "fqdn", "label"]);
  });
});

describe("a Reservation", () => {
  it.each<[string, NonNullable<Reservation["status"]>]>([
    ["has no status", {}],
    ["is pending", { ...ready, phase: "Pending" }],
    ["has failed", { ...ready, phase: "Failed" }],
    ["has no subdomain", { phase: "Ready", fqdn: "x.example" }],
    ["has a null FQDN", { phase: "Ready", subdomain: "x", fqdn: null }],
  ])("L2: that %s has no service, and its addon no annotation", (_, status) => {
    const result = plan([reservation({ status })], { helmReleases: [helmRelease()] });
    expect(result.services).toEqual({});
    expect(annotated(result)).toEqual({ "HelmRelease shop/demo-addon": undefined });
  });

  it.each([
    ["no annotation of Helm", {}],
    ["no namespace of a release", { "meta.helm.sh/release-name": "kube-prometheus-stack-client" }],
    ["no name of a release", { "meta.helm.sh/release-namespace": "monitoring-system" }],
    ["the name of another release", { ...helm, "meta.helm.sh/release-name": "other" }],
    ["the namespace of another release", { ...helm, "meta.helm.sh/release-namespace": "other" }],
  ])("G.4: with %s belongs to no addon and is ignored", (_, annotations) => {
    const unlabelled = helmRelease({
      name: "unlabelled",
      labels: {
        "addons.stackhpc.com/release-namespace": undefined,
        "addons.stackhpc.com/release-name": undefined,
      },
    });
    const result = plan([reservation({ annotations })], { helmReleases: [helmRelease(), unlabelled] });
    expect(result.services).toEqual({});
    expect([...result.annotations.values()]).toEqual([undefined, undefined]);
  });
});

describe("an addon", () => {
  const name = "monitoring-system-kube-prometheus-stack-client";
  const entry = {
    subdomain: "abc",
    fqdn: "abc.zenith.example",
    label: "Kube Prometheus Stack Client",
    iconUrl: null,
    description: null,
  };

  it("G.4: is a HelmRelease rather than Manifests of the same release", () => {
    const result = plan([reservation()], { helmReleases: [helmRelease()], manifests: [manifests()] });
    expect(annotated(result)).toEqual({
      "HelmRelease shop/demo-addon": { [name]: entry },
      "Manifests shop/demo-addon": undefined,
    });
  });

  it("G.4: is Manifests where there is no HelmRelease", () => {
    expect(annotated(plan([reservation()], { manifests: [manifests()] }))).toEqual({
      "Manifests shop/demo-addon": { [name]: entry },
    });
  });

  it("G.4: of the chart of the cluster makes a service of the Cluster", () => {
    const result = plan([reservation()], { manifests: [manifests()] });
    expect(Object.keys(result.services)).toEqual([name]);
  });

  it("G.4: that is an app of a user gets the annotation alone", () => {
    const app = helmRelease({ labels: { "capi.stackhpc.com/cluster": undefined } });
    const result = plan([reservation()], { helmReleases: [app] });
    expect(result.services).toEqual({});
    expect(annotated(result)).toEqual({ "HelmRelease shop/demo-addon": { [name]: entry } });
  });

  it.each<[string, AddonChoice]>([
    ["of another cluster", { labels: { "addons.stackhpc.com/cluster": "other" } }],
    ["in another namespace", { namespace: "bank" }],
    ["without the label of its cluster", { labels: { "addons.stackhpc.com/cluster": undefined } }],
  ])("%s is left alone", (_, choice) => {
    const result = plan([reservation()], { helmReleases: [helmRelease(choice)] });
    expect(result).toEqual({ services: {}, annotations: new Map() });
  });

  it("L1: without any Reservation must not have an annotation", () => {
    const result = plan([], { helmReleases: [helmRelease()], manifests: [manifests({ name: "other" })] });
    expect(result.services).toEqual({});
    expect(annotated(result)).toEqual({
      "HelmRelease shop/demo-addon": undefined,
      "Manifests shop/other": undefined,
    });
  });

  it("has an annotation whose text does not depend on the order of anything", () => {
    const one = reservation({ namespace: "b", name: "b" });
    const two = reservation({ namespace: "a", name: "a" });
    const text = (order: readonly Stored<Reservation>[]): string | undefined =>
      plan(order, { helmReleases: [helmRelease()] }).annotations.get(
        addonKey("HelmRelease", { namespace: "shop", name: "demo-addon" }),
      );
    expect(text([one, two])).toBe(text([two, one]));
    expect(text([one, two])).toBe(
      '{"a":{"description":null,"fqdn":"abc.zenith.example","iconUrl":null,"label":"A","subdomain":"abc"},' +
        '"b":{"description":null,"fqdn":"abc.zenith.example","iconUrl":null,"label":"B","subdomain":"abc"}}',
    );
  });

  it("keeps services whose names are those of built-in properties", () => {
    const odd = reservation({ namespace: "constructor", name: "constructor" });
    const result = plan([odd], { manifests: [manifests()] });
    expect(Object.keys(result.services)).toEqual(["constructor"]);
    expect(annotated(result)).toMatchObject({ "Manifests shop/demo-addon": { constructor: entryOf(odd) } });
  });

  const entryOf = ({ status }: Stored<Reservation>) => ({ subdomain: status?.subdomain, fqdn: status?.fqdn });
});
