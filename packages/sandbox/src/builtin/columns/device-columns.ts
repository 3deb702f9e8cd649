import type { ResourceClaim, ResourceSlice } from "@keelson/core/kinds/resource/v1";
import { ageColumn, type KindColumn, nameColumn } from "./column.ts";

export const resourceClaimColumns: readonly KindColumn<ResourceClaim>[] = [
  nameColumn,
  { name: "State", description: "How far it is", cell: claimState },
  ageColumn,
];

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const states = isDeleted ? ["deleted"] : [];
  if (status?.allocation === undefined) {
    if (!isDeleted) states.push("pending");
  } else {
    states.push("allocated");
    if ((status.reservedFor ?? []).length > 0) states.push("reserved");
  }
  return states.join(",");
}

export const resourceSliceColumns: readonly KindColumn<ResourceSlice>[] = [
  nameColumn,
  { name: "Node", description: "Where the devices are", cell: ({ spec }) => spec.nodeName ?? "" },
  { name: "Driver", description: "Who offers them", cell: ({ spec }) => spec.driver },
  { name: "Pool", description: "The pool they belong to", cell: ({ spec }) => spec.pool.name },
  ageColumn,
];
