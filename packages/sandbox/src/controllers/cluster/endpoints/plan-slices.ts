import { deepEqual } from "@keelson/core";
import type { Endpoint, EndpointPort, EndpointSlice } from "@keelson/core/kinds/discovery/v1";

type AddressType = EndpointSlice["addressType"];

/** Endpoints that have the same ports. */
export interface EndpointGroup {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SliceContent {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan<Slice extends EndpointSlice> {
  readonly create: readonly SliceContent[];
  readonly update: readonly { readonly slice: Slice; readonly content: SliceContent }[];
  readonly remove: readonly Slice[];
}

/** How many endpoints of pods are in a slice at most. */
const mostPods = 100;

/**
 * How the slices of a Service are to change: endpoints stay in their slice, new ones fill slices with room,
 * and a slice that would go is filled anew if another would have to be made.
 */
export function planSlices<Slice extends EndpointSlice>(
  groups: readonly EndpointGroup[],
  existing: readonly Slice[],
  mostPerSlice: number = mostPods,
): SlicePlan<Slice> {
  const create: SliceContent[] = [];
  const update: { slice: Slice; content: SliceContent }[] = [];
  const left = new Set(existing);
  for (const group of groups) {
    const missing = new Map(group.endpoints.map((endpoint) => [targetOf(endpoint), endpoint]));
    const kept: { slice: Slice; endpoints: Endpoint[] }[] = [];
    for (const slice of existing) {
      if (slice.addressType !== group.addressType || !samePorts(slice.ports, group.ports)) continue;
      const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => take(missing, targetOf(endpoint)));
      if (endpoints.length === 0) continue;
      kept.push({ slice, endpoints });
      left.delete(slice);
    }
    for (const { slice, endpoints } of kept) {
      endpoints.push(...takeFirst(missing, mostPerSlice - endpoints.length));
      update.push({ slice, content: { ...group, endpoints } });
    }
    while (missing.size > 0) create.push({ ...group, endpoints: takeFirst(missing, mostPerSlice) });
    if (group.endpoints.length === 0) create.push(group);
  }
  for (const slice of left) {
    const index = create.findIndex(({ addressType }) => addressType === slice.addressType);
    const content = create[index];
    if (content === undefined) continue;
    create.splice(index, 1);
    left.delete(slice);
    update.push({ slice, content });
  }
  return { create, update, remove: [...left] };
}

function take(missing: Map<string, Endpoint>, target: string): readonly Endpoint[] {
  const endpoint = missing.get(target);
  missing.delete(target);
  return endpoint === undefined ? [] : [endpoint];
}

function takeFirst(missing: Map<string, Endpoint>, count: number): readonly Endpoint[] {
  const taken = [...missing].slice(0, Math.max(0, count));
  for (const [target] of taken) missing.delete(target);
  return taken.map(([, endpoint]) => endpoint);
}

function targetOf({ targetRef, addresses }: Endpoint): string {
  return targetRef?.uid ?? addresses.join(",");
}

function samePorts(a: readonly EndpointPort[] | null | undefined, b: readonly EndpointPort[]): boolean {
  return deepEqual(a ?? [], b);
}
