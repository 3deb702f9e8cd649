import { dnsSubdomainProblems, outsideOf } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  invalidValue,
  keyed,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { dnsLabel, dnsSubdomain, requiredText } from "../value-problems.ts";

/** A volume source of a pod or of a PersistentVolume, as it was decoded. */
type Source = Readonly<Record<string, unknown>>;
type Check = (source: Source, field: string) => readonly FieldProblem[];

/** The place where a source is, for sources of which only a PersistentVolume may say more. */
type Owner = "pod" | "volume";

/** The text of a field; empty if it is missing. */
function text(source: Source, name: string): string {
  const value = source[name];
  return typeof value === "string" ? value : "";
}

function listOf(source: Source, name: string): readonly unknown[] {
  const value = source[name];
  return Array.isArray(value) ? value : [];
}

function part(source: Source, name: string): Source | undefined {
  const value = source[name];
  return typeof value === "object" && value !== null ? { ...value } : undefined;
}

function numberOf(source: Source, name: string): number | undefined {
  const value = source[name];
  return typeof value === "number" ? value : undefined;
}

/** Fields that must not be empty, in this order. */
function needed(source: Source, names: readonly string[], field: string): readonly FieldProblem[] {
  return names.flatMap((name) => (text(source, name) === "" ? [required(`${field}.${name}`)] : []));
}

function needs(...names: readonly string[]): Check {
  return (source, field) => needed(source, names, field);
}

function secretRefProblems(source: Source, field: string, owner: Owner): readonly FieldProblem[] {
  const reference = part(source, "secretRef");
  const names = owner === "volume" ? ["name", "namespace"] : ["name"];
  return reference === undefined ? [] : needed(reference, names, `${field}.secretRef`);
}

function monitors(source: Source, field: string): readonly FieldProblem[] {
  return listOf(source, "monitors").length === 0 ? [required(`${field}.monitors`)] : [];
}

function inRange(source: Source, name: string, field: string, shownLeast = 0): readonly FieldProblem[] {
  const value = numberOf(source, name) ?? 0;
  return value >= 0 && value <= 255
    ? []
    : [invalidValue(`${field}.${name}`, value, outsideOf(shownLeast, 255))];
}

/** A path of the node that does not lead up. */
function nodePathProblems(path: string, field: string): readonly FieldProblem[] {
  if (path === "") return [required(field)];
  return path.split("/").includes("..") ? [invalidValue(field, path, "must not contain '..'")] : [];
}

const hostPathTypes = [
  "",
  "DirectoryOrCreate",
  "Directory",
  "FileOrCreate",
  "File",
  "Socket",
  "CharDevice",
  "BlockDevice",
];

function hostPath(source: Source, field: string): readonly FieldProblem[] {
  const [path, type] = [text(source, "path"), text(source, "type")];
  const problems = nodePathProblems(path, `${field}.path`);
  if (path === "" || hostPathTypes.includes(type)) return problems;
  return [...problems, notSupported(`${field}.type`, type, [...hostPathTypes].sort())];
}

function nfs(source: Source, field: string): readonly FieldProblem[] {
  const path = text(source, "path");
  return [
    ...needed(source, ["server", "path"], field),
    ...(path.startsWith("/") ? [] : [invalidValue(`${field}.path`, path, "must be an absolute path")]),
  ];
}

const iscsiNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function iscsiName(name: string, field: string, owner: Owner): readonly FieldProblem[] {
  const form = iscsiNames[name.slice(0, 3)];
  if (form?.test(name)) return [];
  const prefix =
    form === undefined && owner === "pod" ? "must be valid format starting with iqn, eui, or naa" : "";
  return [invalidValue(field, name, prefix || "must be valid format")];
}

function iscsi(source: Source, field: string, owner: Owner): readonly FieldProblem[] {
  const iqn = text(source, "iqn");
  const { initiatorName } = source;
  const hasChap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  const secretRef = part(source, "secretRef");
  return [
    ...needed(source, ["targetPortal"], field),
    ...requiredText(iqn, `${field}.iqn`, (name, place) => iscsiName(name, place, owner)),
    ...inRange(source, "lun", field),
    ...(hasChap && secretRef === undefined ? [required(`${field}.secretRef`)] : []),
    ...(owner === "volume" && secretRef !== undefined
      ? needed(secretRef, ["name"], `${field}.secretRef`)
      : []),
    ...(typeof initiatorName === "string" ? iscsiName(initiatorName, `${field}.initiatorname`, owner) : []),
  ];
}

function quobyte(source: Source, field: string): readonly FieldProblem[] {
  const detail = "must be a host:port pair or multiple pairs separated by commas";
  const [registry, tenant] = [text(source, "registry"), text(source, "tenant")];
  const problems: FieldProblem[] = [];
  if (registry === "") problems.push(required(`${field}.registry`, detail));
  else if (tenant.length >= 65) {
    problems.push(required(`${field}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    const wrong = registry.split(",").filter((pair) => !/^(\[[^\]]*\]|[^:]*):[^:]*$/.test(pair));
    problems.push(...wrong.map(() => invalidValue(`${field}.registry`, registry, detail)));
  }
  return [...problems, ...needed(source, ["volume"], field)];
}

function flocker(source: Source, field: string): readonly FieldProblem[] {
  const [name, uuid] = [text(source, "datasetName"), text(source, "datasetUUID")];
  const both = "datasetName and datasetUUID can not be specified simultaneously";
  return [
    ...(name === "" && uuid === ""
      ? [required(field, "one of datasetName and datasetUUID is required")]
      : []),
    ...(name !== "" && uuid !== "" ? [invalidValue(field, "resource", both)] : []),
    ...(name.includes("/") ? [invalidValue(`${field}.datasetName`, name, "must not contain '/'")] : []),
  ];
}

function fibreChannel(source: Source, field: string): readonly FieldProblem[] {
  const [names, ids] = [listOf(source, "targetWWNs"), listOf(source, "wwids")];
  const place = `${field}.targetWWNs`;
  const both = "targetWWNs and wwids can not be specified simultaneously";
  const lun = numberOf(source, "lun");
  return [
    ...(names.length === 0 && ids.length === 0
      ? [required(place, "must specify either targetWWNs or wwids, but not both")]
      : []),
    ...(names.length > 0 && ids.length > 0 ? [invalidValue(place, names, both)] : []),
    ...(names.length > 0 && lun === undefined
      ? [required(`${field}.lun`, "lun is required if targetWWNs is specified")]
      : []),
    ...(names.length > 0 ? inRange(source, "lun", field) : []),
  ];
}

function flexVolume(source: Source, field: string): readonly FieldProblem[] {
  const reserved = Object.keys(part(source, "options") ?? {}).filter((name) => {
    const [space = ""] = name.split("/", 1);
    return /\.(kubernetes|k8s)\.io$/.test(`.${space.toLowerCase()}`);
  });
  const detail = "kubernetes.io and k8s.io namespaces are reserved";
  return [
    ...needed(source, ["driver"], field),
    ...reserved.map((name) => invalidValue(keyed(`${field}.options`, name), name, detail)),
  ];
}

function azureFile(source: Source, field: string): readonly FieldProblem[] {
  return [
    ...needed(source, ["secretName", "shareName"], field),
    ...(source.secretNamespace === "" ? [required(`${field}.secretNamespace`)] : []),
  ];
}

const cachingModes = ["None", "ReadOnly", "ReadWrite"];
const diskKinds = ["Dedicated", "Managed", "Shared"];
const managedDisk =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

function azureDisk(source: Source, field: string): readonly FieldProblem[] {
  const { cachingMode = "ReadWrite", kind = "Shared" } = source;
  const uri = text(source, "diskURI");
  const [start, form] = kind === "Managed" ? ["/subscriptions/", managedDisk] : ["https://", blobDisk];
  return [
    ...needed(source, ["diskName", "diskURI"], field),
    ...(cachingModes.includes(String(cachingMode))
      ? []
      : [notSupported(`${field}.cachingMode`, cachingMode, cachingModes)]),
    ...(diskKinds.includes(String(kind)) ? [] : [notSupported(`${field}.kind`, kind, diskKinds)]),
    ...(uri.startsWith(start) ? [] : [notSupported(`${field}.diskURI`, uri, [form])]),
  ];
}

function storageOs(source: Source, field: string, owner: Owner): readonly FieldProblem[] {
  const namespace = text(source, "volumeNamespace");
  return [
    ...requiredText(text(source, "volumeName"), `${field}.volumeName`, dnsLabel),
    ...(namespace === "" ? [] : dnsLabel(namespace, `${field}.volumeNamespace`)),
    ...secretRefProblems(source, field, owner),
  ];
}

/** The name of a CSI driver, in any case. */
export function driverNameProblems(name: string, field: string): readonly FieldProblem[] {
  if (name === "") return [required(field)];
  const problems: FieldProblem[] = dnsSubdomainProblems(name.toLowerCase()).map((detail) =>
    invalidValue(field, name, detail),
  );
  if (name.length <= 63) return problems;
  const detail = "may not be more than 63 bytes";
  return [{ type: "FieldValueTooLong", field, value: name, detail }, ...problems];
}

function csiVolume(source: Source, field: string): readonly FieldProblem[] {
  const references = [
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
  ];
  return [
    ...driverNameProblems(text(source, "driver"), `${field}.driver`),
    ...needed(source, ["volumeHandle"], field),
    ...references.flatMap((name) => {
      const reference = part(source, name);
      if (reference === undefined) return [];
      const place = `${field}.${name}`;
      return [
        ...requiredText(text(reference, "name"), `${place}.name`, dnsSubdomain),
        ...requiredText(text(reference, "namespace"), `${place}.namespace`, dnsLabel),
      ];
    }),
  ];
}

function glusterfs(source: Source, field: string): readonly FieldProblem[] {
  const { endpointsNamespace: namespace } = source;
  const place = `${field}.endpointsNamespace`;
  const empty = "if the endpointnamespace is set, it must be a valid namespace name";
  return [
    ...needed(source, ["endpoints", "path"], field),
    ...(namespace === "" ? [invalidValue(place, namespace, empty)] : []),
    ...(typeof namespace === "string" && namespace !== "" ? dnsLabel(namespace, place) : []),
  ];
}

/** Sources that pods and PersistentVolumes have in common, or that differ in a reference to a Secret alone. */
const checks: Readonly<
  Record<string, (source: Source, field: string, owner: Owner) => readonly FieldProblem[]>
> = {
  hostPath,
  gcePersistentDisk: (source, field) => [
    ...needed(source, ["pdName"], field),
    ...inRange(source, "partition", field, 1),
  ],
  awsElasticBlockStore: (source, field) => [
    ...needed(source, ["volumeID"], field),
    ...inRange(source, "partition", field, 1),
  ],
  nfs,
  iscsi,
  glusterfs,
  rbd: (source, field) => [...monitors(source, field), ...needed(source, ["image"], field)],
  cinder: (source, field, owner) => [
    ...needed(source, ["volumeID"], field),
    ...secretRefProblems(source, field, owner),
  ],
  cephfs: monitors,
  quobyte,
  flocker,
  fc: fibreChannel,
  flexVolume,
  azureFile,
  vsphereVolume: needs("volumePath"),
  azureDisk,
  photonPersistentDisk: needs("pdID"),
  portworxVolume: needs("volumeID"),
  scaleIO: needs("gateway", "system", "volumeName"),
  storageos: storageOs,
};

/** The problems of a source by its name; undefined for sources that pods alone have. */
export function podSourceProblems(
  name: string,
  source: object,
  field: string,
): readonly FieldProblem[] | undefined {
  return checks[name]?.({ ...source }, field, "pod");
}

/** The order in which the server looks for them in a PersistentVolume. */
export const persistentSources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;

export function persistentSourceProblems(
  name: (typeof persistentSources)[number],
  source: object,
  field: string,
): readonly FieldProblem[] {
  const given: Source = { ...source };
  if (name === "local") return nodePathProblems(text(given, "path"), `${field}.path`);
  if (name === "csi") return csiVolume(given, field);
  return checks[name]?.(given, field, "volume") ?? [];
}
