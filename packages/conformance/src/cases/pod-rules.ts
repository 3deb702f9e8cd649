import { type CaseGroup, type Creation, creations } from "../conformance-case.ts";
import { container, type Fields, pod } from "./manifests.ts";

const withContainer = (fields: Fields): Fields => pod("a", { containers: [{ ...container, ...fields }] });
const inContext = (securityContext: Fields): Fields => pod("a", { securityContext });
const seccomp = (seccompProfile: Fields): Fields => withContainer({ securityContext: { seccompProfile } });
const spread = (...fields: readonly Fields[]): Fields =>
  pod("a", {
    topologySpreadConstraints: fields.map((more) => ({
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: {},
      ...more,
    })),
  });
const nodeFields = (field: Fields): Fields =>
  pod("a", {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [field] }] },
      },
    },
  });

const rows: Readonly<Record<string, Fields>> = {
  "a seccomp profile has a type": inContext({ seccompProfile: { type: "" } }),
  "a seccomp profile has a type that exists": inContext({ seccompProfile: { type: "Custom" } }),
  "a seccomp profile of the node names its file": inContext({ seccompProfile: { type: "Localhost" } }),
  "a seccomp profile's file is below the node's folder": seccomp({
    type: "Localhost",
    localhostProfile: "/../x",
  }),
  "a seccomp profile of the runtime has no file": seccomp({ type: "RuntimeDefault", localhostProfile: "x" }),
  "a seccomp profile of the runtime": seccomp({ type: "RuntimeDefault" }),
  "an AppArmor profile has a type that exists": inContext({ appArmorProfile: { type: "Custom" } }),
  "an AppArmor profile of the node has a name": withContainer({
    securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: " x" } },
  }),
  "an AppArmor profile of the node names it": inContext({ appArmorProfile: { type: "Localhost" } }),
  "an AppArmor profile of the runtime has no name": inContext({
    appArmorProfile: { type: "RuntimeDefault", localhostProfile: "x" },
  }),
  "processes are shown in one of two ways": withContainer({ securityContext: { procMount: "Hidden" } }),
  "groups are merged or not": inContext({ supplementalGroupsPolicy: "Perhaps" }),
  "a resize policy is of a known resource": withContainer({
    resizePolicy: [{ resourceName: "disk", restartPolicy: "Maybe" }],
  }),
  "a resource has one resize policy": withContainer({
    resizePolicy: [
      { resourceName: "cpu", restartPolicy: "NotRequired" },
      { resourceName: "cpu", restartPolicy: "NotRequired" },
    ],
  }),
  "two spreads are not over one key": spread({}, { maxSkew: 2 }),
  "a spread with a least number of domains is strict": spread({
    minDomains: 0,
    whenUnsatisfiable: "ScheduleAnyway",
  }),
  "a spread's nodes count or not": spread({ nodeAffinityPolicy: "Perhaps", nodeTaintsPolicy: "Maybe" }),
  "a spread's label keys go with a selector": spread({ labelSelector: undefined, matchLabelKeys: ["a"] }),
  "a node is chosen by the field of its name": nodeFields({
    key: "metadata.uid",
    operator: "In",
    values: ["a"],
  }),
  "a node is chosen by one name": nodeFields({ key: "metadata.name", operator: "In", values: ["a", "b"] }),
  "a node's name is or is not": nodeFields({ key: "metadata.name", operator: "Exists" }),
  "an affinity's namespaces have names": pod("a", {
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "a", namespaces: ["A_"], labelSelector: {} },
        ],
      },
    },
  }),
  "an alias has an address": pod("a", { hostAliases: [{ ip: "here", hostnames: ["b"] }] }),
  "a name server has an address, and an option a name": pod("a", {
    dnsPolicy: "None",
    dnsConfig: { nameservers: ["here"], options: [{ value: "x" }] },
  }),
  "an operating system is one of two": pod("a", { os: { name: "solaris" } }),
  "an amount that is null is nothing": withContainer({ resources: { limits: { memory: null } } }),
};

export const podRuleCases: CaseGroup = {
  title: "rules of pods",
  cases: creations(Object.entries(rows).map(([sentence, object]): Creation => [sentence, "pods", object])),
};
