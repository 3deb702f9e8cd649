/** Labels that the chart of a cluster puts on everything that it renders, and on Machines through their templates. */
export const clusterLabel = "capi.stackhpc.com/cluster";
export const componentLabel = "capi.stackhpc.com/component";
export const nodeGroupLabel = "capi.stackhpc.com/node-group";

/** The label of Cluster API on Secrets, such as kubeconfigs. */
export const capiClusterLabel = "cluster.x-k8s.io/cluster-name";

/** Labels of the addon provider on HelmReleases and Manifests: to which release in which cluster they belong. */
export const addonClusterLabel = "addons.stackhpc.com/cluster";
export const addonNamespaceLabel = "addons.stackhpc.com/release-namespace";
export const addonReleaseLabel = "addons.stackhpc.com/release-name";

/** Annotations of Helm on what it installs. */
export const helmReleaseAnnotation = "meta.helm.sh/release-name";
export const helmNamespaceAnnotation = "meta.helm.sh/release-namespace";

/** On everything that the operator creates by itself. */
export const managedByLabel = "app.kubernetes.io/managed-by";
export const managedBy = "azimuth-capi-operator";

/**
 * Labels and annotations of Azimuth, whose names its API and its other operators know by heart: unlike the group of the
 * kinds, they cannot be configured.
 */
export const appTemplateLabel = "azimuth.stackhpc.com/app-template";
export const servicesAnnotation = "azimuth.stackhpc.com/services";
export const serviceLabelAnnotation = "azimuth.stackhpc.com/service-label";
export const serviceIconAnnotation = "azimuth.stackhpc.com/service-icon-url";
export const serviceDescriptionAnnotation = "azimuth.stackhpc.com/service-description";
export const zenithSubdomainAnnotation = "azimuth.stackhpc.com/zenith-subdomain";
export const zenithFqdnAnnotation = "azimuth.stackhpc.com/zenith-fqdn";
export const chartLabelAnnotation = "azimuth.stackhpc.com/label";

/** The names of what belongs to the Cluster of a name, in its namespace. */
export const namesOf = (cluster: string) => ({
  /** The Helm release, the Cluster of Cluster API and its OpenStackCluster. */
  release: cluster,
  etcdKeySecret: `${cluster}-etcd-key`,
  zenithSecret: `${cluster}-zenith-apiserver`,
  zenithOperator: `${cluster}-zenith-operator`,
  /** With the certificate of an administrator; Cluster API writes it. */
  kubeconfigSecret: `${cluster}-kubeconfig`,
  /** With a login by OIDC. */
  userKubeconfigSecret: `${cluster}-kubeconfig-user`,
});
