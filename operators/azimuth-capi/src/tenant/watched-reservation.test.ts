import type { Stored } from "keelson";
import { expect, it } from "vitest";
import { reservationKind } from "../neighbours/zenith.ts";
import { watchedReservation } from "./watched-reservation.ts";

const { projection } = watchedReservation(reservationKind("zenith.stackhpc.com/v1alpha1"));

/** What is kept of an object with such fields, whatever their types. */
function kept(fields: { readonly annotations?: unknown; readonly status?: unknown }): object | undefined {
  const { annotations, status } = fields;
  const stored = { uid: "0", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  const metadata = { ...stored, name: "web", labels: { app: "web" }, annotations };
  const sent = { apiVersion: "zenith.stackhpc.com/v1alpha1", kind: "Reservation", metadata, status };
  const received: Stored = JSON.parse(JSON.stringify(sent));
  return projection?.project(received);
}

it("keeps of a Reservation what services are made of, and drops the rest", () => {
  const annotations = {
    "meta.helm.sh/release-name": "web",
    "meta.helm.sh/release-namespace": "shop",
    "azimuth.stackhpc.com/service-label": "Shop",
    "azimuth.stackhpc.com/service-icon-url": "https://example.com/icon.png",
    "azimuth.stackhpc.com/service-description": "Sells",
  };
  const status = { phase: "Ready", subdomain: "abc", fqdn: "abc.example" };
  expect(
    kept({
      annotations: { ...annotations, "kubectl.kubernetes.io/last-applied-configuration": "{}" },
      status: { ...status, fingerprint: "SHA256:x" },
    }),
  ).toEqual({ metadata: { labels: {}, annotations }, status });
});

it.each([
  ["absent", undefined],
  ["null", null],
  ["a text", "Ready"],
  ["a list", ["Ready"]],
  [
    "of other types",
    { phase: 1, subdomain: ["a"], fqdn: { a: 1 }, "azimuth.stackhpc.com/service-label": null },
  ],
  ["too long", { fqdn: "x".repeat(4_097), "azimuth.stackhpc.com/service-label": "x".repeat(4_097) }],
])("drops annotations and a status that are %s", (_, value) => {
  expect(kept({ annotations: value, status: value })).toEqual({
    metadata: { labels: {}, annotations: {} },
    status: {},
  });
});
