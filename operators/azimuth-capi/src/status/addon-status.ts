import type { AddonStatus } from "../api/cluster.ts";
import { componentLabel } from "../api/names.ts";
import { type AddonPhase, addonPhases, knownPhase } from "../api/phases.ts";
import type { HelmRelease, Kustomization, Manifests } from "../neighbours/addons.ts";

/** The addons of a Cluster, of all three kinds. */
export interface ObservedAddons {
  readonly helmReleases: readonly HelmRelease[];
  readonly manifests: readonly Manifests[];
  readonly kustomizations: readonly Kustomization[];
}

/** One addon, or all addons of one component. */
interface Addon {
  readonly phase: AddonPhase;
  readonly revision: number;
}

/**
 * The worst phase first. A failure needs a person, so it is shown first. What is under way comes before what has not been
 * looked at yet, as it does in the phase of the Cluster.
 */
const worstFirst: readonly AddonPhase[] = [
  "Failed",
  ...(["Uninstalling", "Upgrading", "Installing", "Preparing", "Pending"] as const),
  "Unknown",
  "Deployed",
];

/**
 * The addons of a Cluster by component. A component may have several, such as a chart and the manifests that go with it: it
 * then has the worst of their phases, and the sum of their revisions, so that an upgrade of any of them shows. Objects without
 * a component are no addons of the Cluster: apps of users have none.
 */
export function addonStatusesOf(observed: ObservedAddons): Readonly<Record<string, AddonStatus>> {
  const components = new Map<string, Addon>();
  const add = ({ metadata }: HelmRelease | Manifests | Kustomization, addon: Addon): void => {
    const component = metadata.labels?.[componentLabel];
    if (!component) return;
    const other = components.get(component);
    components.set(component, other === undefined ? addon : both(other, addon));
  };
  for (const object of [...observed.helmReleases, ...observed.manifests]) add(object, addonOf(object));
  for (const object of observed.kustomizations) add(object, addonOfKustomization(object));
  // Sorted, so that the order of the caches does not show.
  const names = [...components.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, statusOf(components.get(name))]));
}

function both(one: Addon, other: Addon): Addon {
  return {
    phase: worstFirst.find((phase) => phase === one.phase || phase === other.phase) ?? "Unknown",
    revision: one.revision + other.revision,
  };
}

function addonOf({ status }: HelmRelease | Manifests): Addon {
  return { phase: knownPhase(addonPhases, status?.phase), revision: countOf(status?.revision) };
}

/** Flux has conditions instead of phases, and its first one says how the last attempt went. */
function addonOfKustomization({ status }: Kustomization): Addon {
  const [condition] = status?.conditions ?? [];
  if (condition === undefined) return { phase: "Unknown", revision: 0 };
  const { type = "Ready", status: state, observedGeneration } = condition;
  const revision = countOf(observedGeneration);
  if (type !== "Ready") return { phase: "Pending", revision };
  return { phase: state === "True" ? "Deployed" : "Failed", revision };
}

/** The schema of our status refuses anything else, and then the whole status would not be written. */
function countOf(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

function statusOf({ phase, revision }: Addon = { phase: "Unknown", revision: 0 }): AddonStatus {
  return { ...(phase !== "Unknown" && { phase }), ...(revision > 0 && { revision }) };
}
