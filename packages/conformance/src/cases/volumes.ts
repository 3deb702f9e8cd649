import { type CaseGroup, type Creation, creations } from "../conformance-case.ts";
import { container, type Fields, pod, podTemplate } from "./manifests.ts";

/** A pod with a volume `v`, which its container mounts or has as a device. */
const withVolume = (source: Fields, mount: Fields = {}, more: Fields = {}): Fields =>
  pod("a", {
    volumes: [{ name: "v", ...source }],
    containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v", ...mount }], ...more }],
  });
const withDevices = (source: Fields, devices: readonly Fields[], more: Fields = {}): Fields =>
  pod("a", {
    volumes: [{ name: "v", ...source }],
    containers: [{ ...container, volumeDevices: devices, ...more }],
  });
const claim = { persistentVolumeClaim: { claimName: "c" } };
const device = { name: "v", devicePath: "/v" };
const downward = (...items: readonly Fields[]): Fields => withVolume({ downwardAPI: { items } });
const projected = (...sources: readonly Fields[]): Fields => withVolume({ projected: { sources } });
const name = { fieldPath: "metadata.name" };
const cpu = { containerName: "main", resource: "limits.cpu" };

const rows: Readonly<Record<string, Fields>> = {
  "a mount's propagation is one of three": withVolume({ emptyDir: {} }, { mountPropagation: "Sideways" }),
  "both ways is for privileged containers": withVolume(
    { emptyDir: {} },
    { mountPropagation: "Bidirectional" },
  ),
  "a privileged container propagates both ways": withVolume(
    { emptyDir: {} },
    { mountPropagation: "Bidirectional" },
    { securityContext: { privileged: true } },
  ),
  "a mount is recursively read-only if it is read-only": withVolume(
    { emptyDir: {} },
    { recursiveReadOnly: "Enabled", mountPropagation: "HostToContainer" },
  ),
  "a mount is recursively read-only in one of three ways": withVolume(
    { emptyDir: {} },
    { recursiveReadOnly: "Perhaps", readOnly: true },
  ),
  "two mounts of a volume are not at one path": pod("a", {
    volumes: [{ name: "v", emptyDir: {} }],
    containers: [
      {
        ...container,
        volumeMounts: [
          { name: "v", mountPath: "/v" },
          { name: "v", mountPath: "/v", subPath: "x" },
        ],
      },
    ],
  }),
  "a device is a claim": withDevices({ emptyDir: {} }, [device]),
  "a device has a volume and a path": withDevices(claim, [{ name: "other", devicePath: "" }]),
  "devices differ in name and path": withDevices(claim, [device, device]),
  "a device's path does not go up": withDevices(claim, [{ name: "v", devicePath: "/../v" }]),
  "a volume is not a folder and a device": withDevices(claim, [device], {
    volumeMounts: [{ name: "v", mountPath: "/v" }],
  }),
  "a file about the pod has a source": downward({ path: "x" }),
  "a file about the pod has one source": downward({ path: "x", fieldRef: name, resourceFieldRef: cpu }),
  "a file of the downward API has a field that files may have": downward({
    path: "x",
    fieldRef: { fieldPath: "status.podIP" },
  }),
  "a file of the downward API has a field that exists": downward({
    path: "x",
    fieldRef: { fieldPath: "spec.nothing" },
  }),
  "a file about resources names the container": downward({
    path: "x",
    resourceFieldRef: { resource: "limits.cpu" },
  }),
  "a file about the pod has a path below the volume": downward(
    { path: "/x", fieldRef: name },
    { path: "../x", fieldRef: name },
    { path: "..x", fieldRef: name, mode: 4096 },
    { fieldRef: name },
  ),
  "a projection has one source": projected({ secret: { name: "s" }, configMap: { name: "c" } }),
  "a projected token has a path": projected({ serviceAccountToken: {} }),
  "a projected token lives for some time": projected(
    { serviceAccountToken: { path: "a", expirationSeconds: 5 } },
    { serviceAccountToken: { path: "b", expirationSeconds: 4_294_967_297 } },
  ),
  "projected files have different paths": projected(
    { secret: { name: "s", items: [{ key: "a", path: "p" }] } },
    { configMap: { name: "c", items: [{ key: "a", path: "p" }] } },
    { downwardAPI: { items: [{ path: "p", fieldRef: name }] } },
  ),
  "projected files have keys and paths": projected({ secret: { items: [{}] } }),
  "an ephemeral volume has a template": withVolume({ ephemeral: {} }),
  "an ephemeral volume's template is a claim": withVolume({
    ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["Sometimes"] } } },
  }),
  "a volume of an image names it": withVolume({ image: {} }),
  "a volume of an image is pulled by one of three policies": withVolume({
    image: { reference: "web:1", pullPolicy: "Sometimes" },
  }),
  "a volume of a network file system has a path from the root": withVolume({
    nfs: { server: "s", path: "x" },
  }),
  "a volume's driver has a DNS name": withVolume({ csi: { driver: "A B" } }),
};

const variable = (valueFrom: Fields): Fields =>
  pod("a", { containers: [{ ...container, env: [{ name: "A", valueFrom }] }] });

const variables: Readonly<Record<string, Fields>> = {
  "a variable's field is of a version that exists": variable({ fieldRef: { ...name, apiVersion: "v2" } }),
  "a variable of processors counts whole ones or thousandths": variable({
    resourceFieldRef: { resource: "limits.cpu", divisor: "3" },
  }),
  "a variable of memory counts in units": variable({
    resourceFieldRef: { resource: "requests.memory", divisor: "5Mi" },
  }),
  "a variable of storage counts in units": variable({
    resourceFieldRef: { resource: "requests.ephemeral-storage", divisor: "5Mi" },
  }),
  "a variable in a unit": variable({ resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } }),
};

const inTemplate: Creation = [
  "the image of a volume may be empty in a template",
  "podtemplates",
  podTemplate("a", { volumes: [{ name: "v", image: {} }] }),
];

export const volumeCases: CaseGroup = {
  title: "validation of volumes",
  cases: creations([
    ...Object.entries({ ...rows, ...variables }).map(
      ([sentence, object]): Creation => [sentence, "pods", object],
    ),
    inTemplate,
  ]),
};
