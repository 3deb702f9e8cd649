import { isRecord } from "@keelson/core";

type Json = Readonly<Record<string, unknown>>;

interface InternalField {
  readonly name: string;
  readonly jsonName: string;
  /** Whether it is found in the spec of the pod, not where it is printed. */
  readonly isOfSpec: boolean;
  readonly form: string;
}

let types: ReadonlyMap<string, readonly InternalField[]> | undefined;

/** A pod's spec as the API server prints it in messages: in the form that it has in the server's memory. */
export function internalPodSpec(spec: Json): Json {
  return internalForm("PodSpec", spec, spec);
}

/** As above, of a pod template: the fields of its metadata that are set, then the spec. */
export function internalPodTemplate(template: Json): Json {
  const { metadata, spec } = template;
  return { ...metadataOf(metadata), Spec: internalPodSpec(isRecord(spec) ? spec : {}) };
}

/** As above, of what a container may do. */
export function internalSecurityContext(context: Json): Json {
  return internalForm("SecurityContext", context, {});
}

/** As above, of a claim of storage. */
export function internalClaimSpec(spec: Json): Json {
  return internalForm("PersistentVolumeClaimSpec", spec, {});
}

function internalForm(type: string, value: Json, spec: Json): Json {
  types ??= readTypes();
  const printed: Record<string, unknown> = {};
  for (const { name, jsonName, isOfSpec, form } of types.get(type) ?? []) {
    if (name === "~") Object.assign(printed, metadataOf(value["metadata"]));
    else printed[name] = internalValue(form, (isOfSpec ? spec : value)[jsonName], spec);
  }
  return printed;
}

function internalValue(form: string, value: unknown, spec: Json): unknown {
  switch (form) {
    case "":
      return value ?? null;
    case "s":
      return value ?? "";
    case "b":
      return value ?? false;
    case "i":
      return value ?? 0;
    case "q":
      return value ?? "0";
  }
  const type = form.replace(/^[[*]/, "");
  if (form.startsWith("[")) {
    return Array.isArray(value)
      ? value.map((one) => internalForm(type, isRecord(one) ? one : {}, spec))
      : null;
  }
  if (isRecord(value)) return internalForm(type, value, spec);
  return form.startsWith("*") ? null : internalForm(type, {}, spec);
}

/** Metadata has its JSON names in memory, too. */
function metadataOf(metadata: unknown): Json {
  if (!isRecord(metadata)) return {};
  const names = ["name", "namespace", "labels", "annotations", "ownerReferences", "finalizers"];
  return Object.fromEntries(
    names.flatMap((name) => (metadata[name] === undefined ? [] : [[name, metadata[name]]])),
  );
}

function readTypes(): ReadonlyMap<string, readonly InternalField[]> {
  const lines = internalFields.trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [type = "", ...fields] = line.split(" ");
      return [type, fields.map(readField)];
    }),
  );
}

function readField(text: string): InternalField {
  const [names = "", form = ""] = text.split(":");
  const [goName = "", written = `${goName.charAt(0).toLowerCase()}${goName.slice(1)}`] = names.split("=");
  const isOfSpec = written.startsWith("^");
  return { name: goName, jsonName: isOfSpec ? written.slice(1) : written, isOfSpec, form };
}

/**
 * The fields of a pod's spec as the API server holds it in memory (Kubernetes v1.36.2), because that form is what some
 * of its messages print. A line is a type: its name, then its fields in order, each `GoName=jsonName:form`. Without a
 * JSON name it is the Go name with a small first letter; `^` before it means that the field is one of the spec itself.
 * Forms: `s` text, `b` boolean, `i` number, `q` quantity, `[T` list, `*T` optional, `T` always present; without a form
 * the value is printed as it is, or null. `~` stands for the metadata.
 */
const internalFields = `
PodSpec Volumes:[Volume InitContainers:[Container Containers:[Container EphemeralContainers:[EphemeralContainer RestartPolicy:s TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy=dnsPolicy:s NodeSelector ServiceAccountName:s AutomountServiceAccountToken NodeName:s SecurityContext:*PodSecurityContext ImagePullSecrets:[LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN Affinity:*Affinity SchedulerName:s Tolerations:[Toleration HostAliases:[HostAlias PriorityClassName:s Priority PreemptionPolicy DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:[PodReadinessGate RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints:[TopologySpreadConstraint OS=os:*PodOS SchedulingGates:[PodSchedulingGate ResourceClaims:[PodResourceClaim Resources:*ResourceRequirements HostnameOverride SchedulingGroup:*PodSchedulingGroup
Volume Name:s HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
Container Name:s Image:s Command Args WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b
EphemeralContainer Name:s Image:s Command Args WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ResizePolicy:[ContainerResizePolicy RestartPolicy RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b TargetContainerName:s
PodSecurityContext HostNetwork=^hostNetwork:b HostPID=^hostPID:b HostIPC=^hostIPC:b ShareProcessNamespace=^shareProcessNamespace HostUsers=^hostUsers SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup=fsGroup FSGroupChangePolicy=fsGroupChangePolicy Sysctls:[Sysctl SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy
LocalObjectReference Name:s
Affinity NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
Toleration Key:s Operator:s Value:s Effect:s TolerationSeconds
HostAlias IP=ip:s Hostnames
PodDNSConfig Nameservers Searches Options:[PodDNSConfigOption
PodReadinessGate ConditionType:s
TopologySpreadConstraint MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector MinDomains NodeAffinityPolicy NodeTaintsPolicy MatchLabelKeys
PodOS Name:s
PodSchedulingGate Name:s
PodResourceClaim Name:s ResourceClaimName ResourceClaimTemplateName
ResourceRequirements Limits Requests Claims:[ResourceClaim
PodSchedulingGroup PodGroupName
HostPathVolumeSource Path:s Type
EmptyDirVolumeSource Medium:s SizeLimit
GCEPersistentDiskVolumeSource PDName=pdName:s FSType=fsType:s Partition:i ReadOnly:b
AWSElasticBlockStoreVolumeSource VolumeID:s FSType=fsType:s Partition:i ReadOnly:b
GitRepoVolumeSource Repository:s Revision:s Directory:s
SecretVolumeSource SecretName:s Items:[KeyToPath DefaultMode Optional
NFSVolumeSource Server:s Path:s ReadOnly:b
ISCSIVolumeSource TargetPortal:s IQN=iqn:s Lun:i ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference InitiatorName
GlusterfsVolumeSource EndpointsName=endpoints:s Path:s ReadOnly:b
PersistentVolumeClaimVolumeSource ClaimName:s ReadOnly:b
RBDVolumeSource CephMonitors=monitors RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*LocalObjectReference ReadOnly:b
QuobyteVolumeSource Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s
FlexVolumeSource Driver:s FSType=fsType:s SecretRef:*LocalObjectReference ReadOnly:b Options
CinderVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
CephFSVolumeSource Monitors Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b
FlockerVolumeSource DatasetName:s DatasetUUID:s
DownwardAPIVolumeSource Items:[DownwardAPIVolumeFile DefaultMode
FCVolumeSource TargetWWNs Lun FSType=fsType:s ReadOnly:b WWIDs=wwids
AzureFileVolumeSource SecretName:s ShareName:s ReadOnly:b
ConfigMapVolumeSource Name:s Items:[KeyToPath DefaultMode Optional
VsphereVirtualDiskVolumeSource VolumePath:s FSType=fsType:s StoragePolicyName:s StoragePolicyID:s
AzureDiskVolumeSource DiskName:s DataDiskURI=diskURI:s CachingMode FSType=fsType ReadOnly Kind
PhotonPersistentDiskVolumeSource PdID:s FSType=fsType:s
ProjectedVolumeSource Sources:[VolumeProjection DefaultMode
PortworxVolumeSource VolumeID:s FSType=fsType:s ReadOnly:b
ScaleIOVolumeSource Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b
StorageOSVolumeSource VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference
CSIVolumeSource Driver:s ReadOnly FSType=fsType VolumeAttributes NodePublishSecretRef:*LocalObjectReference
EphemeralVolumeSource VolumeClaimTemplate:*PersistentVolumeClaimTemplate
ImageVolumeSource Reference:s PullPolicy:s
ContainerPort Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s
EnvFromSource Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar Name:s Value:s ValueFrom:*EnvVarSource
ContainerResizePolicy ResourceName:s RestartPolicy:s
ContainerRestartRule Action:s ExitCodes:*ContainerRestartRuleOnExitCodes
VolumeMount Name:s ReadOnly:b RecursiveReadOnly MountPath:s SubPath:s MountPropagation SubPathExpr:s
VolumeDevice Name:s DevicePath:s
Probe Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i SuccessThreshold:i FailureThreshold:i TerminationGracePeriodSeconds
Lifecycle PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal
SecurityContext Capabilities:*Capabilities Privileged SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser RunAsGroup RunAsNonRoot ReadOnlyRootFilesystem AllowPrivilegeEscalation ProcMount SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
SELinuxOptions User:s Role:s Type:s Level:s
WindowsSecurityContextOptions GMSACredentialSpecName=gmsaCredentialSpecName GMSACredentialSpec=gmsaCredentialSpec RunAsUserName HostProcess
Sysctl Name:s Value:s
SeccompProfile Type:s LocalhostProfile
AppArmorProfile Type:s LocalhostProfile
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm
PodDNSConfigOption Name:s Value
ResourceClaim Name:s Request:s
KeyToPath Key:s Path:s Mode
DownwardAPIVolumeFile Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode
VolumeProjection Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
PersistentVolumeClaimTemplate ~ Spec:PersistentVolumeClaimSpec
ConfigMapEnvSource Name:s Optional
SecretEnvSource Name:s Optional
EnvVarSource FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
ContainerRestartRuleOnExitCodes Operator:s Values
ExecAction Command
HTTPGetAction Path:s Port:i Host:s Scheme:s HTTPHeaders=httpHeaders:[HTTPHeader
TCPSocketAction Port:i Host:s
GRPCAction Port:i Service
LifecycleHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction Sleep:*SleepAction
Capabilities Add Drop
NodeSelector NodeSelectorTerms:[NodeSelectorTerm
PreferredSchedulingTerm Weight:i Preference:NodeSelectorTerm
PodAffinityTerm LabelSelector Namespaces TopologyKey:s NamespaceSelector MatchLabelKeys MismatchLabelKeys
WeightedPodAffinityTerm Weight:i PodAffinityTerm:PodAffinityTerm
ObjectFieldSelector APIVersion=apiVersion:s FieldPath:s
ResourceFieldSelector ContainerName:s Resource:s Divisor:q
SecretProjection Name:s Items:[KeyToPath Optional
DownwardAPIProjection Items:[DownwardAPIVolumeFile
ConfigMapProjection Name:s Items:[KeyToPath Optional
ServiceAccountTokenProjection Audience:s ExpirationSeconds:i Path:s
ClusterTrustBundleProjection Name SignerName LabelSelector Optional Path:s
PodCertificateProjection SignerName:s KeyType:s MaxExpirationSeconds CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations
PersistentVolumeClaimSpec AccessModes Selector Resources:VolumeResourceRequirements VolumeName:s StorageClassName VolumeMode DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName
ConfigMapKeySelector Name:s Key:s Optional
SecretKeySelector Name:s Key:s Optional
FileKeySelector VolumeName:s Path:s Key:s Optional
HTTPHeader Name:s Value:s
SleepAction Seconds:i
NodeSelectorTerm MatchExpressions:[NodeSelectorRequirement MatchFields:[NodeSelectorRequirement
VolumeResourceRequirements Limits Requests
TypedLocalObjectReference APIGroup=apiGroup Kind:s Name:s
TypedObjectReference APIGroup=apiGroup Kind:s Name:s Namespace
NodeSelectorRequirement Key:s Operator:s Values
`;
