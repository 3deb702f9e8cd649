import { describe, expect, it } from "vitest";
import { helmRelease, kustomization, manifests } from "../../test/support/observed.ts";
import { type AddonPhase, addonPhases } from "../api/phases.ts";
import type { Kustomization } from "../neighbours/addons.ts";
import { addonStatusesOf, type ObservedAddons } from "./addon-status.ts";

const none: ObservedAddons = { helmReleases: [], manifests: [], kustomizations: [] };
const addonsOf = (some: Partial<ObservedAddons>) => addonStatusesOf({ ...none, ...some });

describe("D.4: the phase and revision of an addon", () => {
  it.each(addonPhases.filter((phase) => phase !== "Unknown"))("are copied: %s", (phase) => {
    expect(
      addonsOf({
        helmReleases: [helmRelease("demo-cni", "cni-calico", { phase, revision: 3 })],
        manifests: [manifests("demo-cloud-config", "cloud-config", { phase, revision: 1 })],
      }),
    ).toEqual({ "cni-calico": { phase, revision: 3 }, "cloud-config": { phase, revision: 1 } });
  });

  it.each([
    ["without a status", undefined],
    ["with the phase Unknown", { phase: "Unknown", revision: 0 }],
    ["L11: with a phase that is not known", { phase: "Rolling" }],
    ["with a revision that is no count", { revision: -1 }],
    ["with a revision that is no integer", { revision: 1.5 }],
  ])("A.1: are left out if they are Unknown and 0: an addon %s", (_, status) => {
    expect(addonsOf({ helmReleases: [helmRelease("demo-cni", "cni", status)] })).toEqual({ cni: {} });
  });

  it.each<[string, Kustomization["status"], object]>([
    ["without a status", undefined, {}],
    ["without conditions", { conditions: [] }, {}],
    [
      "that is ready",
      { conditions: [{ type: "Ready", status: "True", observedGeneration: 2 }] },
      { phase: "Deployed", revision: 2 },
    ],
    [
      "that is not ready",
      { conditions: [{ type: "Ready", status: "False", observedGeneration: 2 }] },
      { phase: "Failed", revision: 2 },
    ],
    [
      "whose readiness is unknown",
      { conditions: [{ type: "Ready", status: "Unknown" }] },
      { phase: "Failed" },
    ],
    [
      "whose first condition has no type and is true",
      { conditions: [{ status: "True" }] },
      { phase: "Deployed" },
    ],
    ["whose first condition says nothing", { conditions: [{}] }, { phase: "Failed" }],
    [
      "whose first condition is another one",
      {
        conditions: [
          { type: "Reconciling", status: "True", observedGeneration: 1 },
          { type: "Ready", status: "True" },
        ],
      },
      { phase: "Pending", revision: 1 },
    ],
  ])("come from the first condition of a Kustomization %s", (_, status, addon) => {
    expect(addonsOf({ kustomizations: [kustomization("demo-xpu", "intel-xpu", status)] })).toEqual({
      "intel-xpu": addon,
    });
  });
});

describe("L9: a component with several addons", () => {
  const phaseOfBoth = (one: AddonPhase, other: AddonPhase): string =>
    addonsOf({
      helmReleases: [helmRelease("demo-csi-cinder", "csi-cinder", { phase: one })],
      manifests: [manifests("demo-csi-cinder-storageclass", "csi-cinder", { phase: other })],
    })["csi-cinder"]?.phase ?? "Unknown";

  it.each<[AddonPhase, AddonPhase, AddonPhase]>([
    ["Deployed", "Deployed", "Deployed"],
    ["Deployed", "Unknown", "Unknown"],
    ["Deployed", "Pending", "Pending"],
    ["Unknown", "Pending", "Pending"],
    ["Pending", "Preparing", "Preparing"],
    ["Preparing", "Installing", "Installing"],
    ["Installing", "Upgrading", "Upgrading"],
    ["Upgrading", "Uninstalling", "Uninstalling"],
    ["Uninstalling", "Failed", "Failed"],
    ["Deployed", "Failed", "Failed"],
  ])("that are %s and %s is %s, whichever is which", (one, other, worst) => {
    expect([phaseOfBoth(one, other), phaseOfBoth(other, one)]).toEqual([worst, worst]);
  });

  it("has the sum of their revisions, so that an upgrade of any of them shows", () => {
    const revisionOf = (release: number, rest: number) =>
      addonsOf({
        helmReleases: [helmRelease("a", "csi-cinder", { revision: release })],
        manifests: [manifests("b", "csi-cinder", { revision: rest })],
        kustomizations: [
          kustomization("c", "csi-cinder", { conditions: [{ status: "True", observedGeneration: 1 }] }),
        ],
      })["csi-cinder"]?.revision;
    expect([revisionOf(4, 1), revisionOf(5, 1), revisionOf(5, 2)]).toEqual([6, 7, 8]);
  });

  it("stays when one of them is deleted", () => {
    const release = helmRelease("demo-csi-cinder", "csi-cinder", { phase: "Deployed", revision: 2 });
    const storageClass = manifests("demo-csi-cinder-storageclass", "csi-cinder", {
      phase: "Deployed",
      revision: 1,
    });
    expect(addonsOf({ helmReleases: [release], manifests: [storageClass] })).toEqual({
      "csi-cinder": { phase: "Deployed", revision: 3 },
    });
    expect(addonsOf({ helmReleases: [release] })).toEqual({
      "csi-cinder": { phase: "Deployed", revision: 2 },
    });
  });
});

it("leaves out what has no component", () => {
  expect(addonsOf({ helmReleases: [helmRelease("my-app", undefined, { phase: "Failed" })] })).toEqual({});
});

it("L10: has Kustomizations as well, and lists components by name", () => {
  const addons = addonsOf({
    helmReleases: [helmRelease("b", "b")],
    manifests: [manifests("c", "c")],
    kustomizations: [kustomization("a", "a")],
  });
  expect(Object.keys(addons)).toEqual(["a", "b", "c"]);
});
