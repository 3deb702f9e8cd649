import type { SchemaDescriptions } from "./schema-descriptions.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const core = "io.k8s.api.core.v1";
const apps = "io.k8s.api.apps.v1";
const batch = "io.k8s.api.batch.v1";
const networking = "io.k8s.api.networking.v1";
const rbac = "io.k8s.api.rbac.v1";

const object = {
  apiVersion: "Group and version of the API, such as apps/v1.",
  kind: "The kind of the object.",
  metadata: "Name, namespace, labels and other data that every object has.",
};
const withSpec = { ...object, spec: "What is desired." };
const withStatus = { ...withSpec, status: "What was last observed. Read-only for users." };
const selected = "Selects the pods by their labels. Must match the labels of the template.";
const template = "The pods that are created.";
const history = "How many old revisions are kept.";
const minReady = "How many seconds a new pod has to be ready before it counts as available. Default: 0.";

/** Short descriptions of what is asked for most, in words of this project. */
export const shortDescriptions: Readonly<Record<string, SchemaDescriptions>> = {
  [`${meta}.ObjectMeta`]: {
    description: "Data that every object has.",
    fields: {
      annotations: "Texts for programs and people. They cannot be selected by.",
      creationTimestamp: "When the object was created. Set by the server.",
      deletionGracePeriodSeconds: "How long the object may take to end, once it is being deleted.",
      deletionTimestamp: "Set by the server when the object is being deleted.",
      finalizers: "The object is removed when this list is empty.",
      generateName: "A prefix; the server appends a unique suffix, if no name is given.",
      generation: "Counts the changes of the spec. Set by the server.",
      labels: "Short texts by which objects are selected.",
      managedFields: "Which field manager wrote which fields.",
      name: "Unique among the objects of a kind in a namespace. Cannot be changed.",
      namespace: "The namespace of the object. Cannot be changed.",
      ownerReferences: "The objects that own this one; it is deleted with the last of them.",
      resourceVersion: "Changes with every write. A write with another version is refused.",
      uid: "Identifies the object for all time. Set by the server.",
    },
  },
  [`${meta}.LabelSelector`]: {
    description:
      "Selects objects by their labels; all requirements must hold. An empty selector selects all.",
    fields: {
      matchExpressions: "Requirements with an operator.",
      matchLabels: "Labels with the values that they must have.",
    },
  },
  [`${core}.Pod`]: { description: "Containers that run together on one node.", fields: withStatus },
  [`${core}.PodSpec`]: {
    description: "What a pod runs, and where.",
    fields: {
      activeDeadlineSeconds: "How long the pod may be active before it is failed.",
      affinity: "Rules for the nodes on which the pod may be scheduled.",
      automountServiceAccountToken: "Whether a token of the ServiceAccount is mounted.",
      containers: "The containers, at least one. They cannot be added or removed.",
      hostNetwork: "Whether the pod uses the network of its node.",
      imagePullSecrets: "Secrets of this namespace for pulling images.",
      initContainers: "Containers that run one after the other before the others start.",
      nodeName: "The node of the pod. Set by the scheduler.",
      nodeSelector: "Labels that the node must have.",
      priorityClassName: "The name of a PriorityClass.",
      restartPolicy: "When containers are restarted: Always, OnFailure or Never. Default: Always.",
      schedulerName: "The scheduler that chooses the node.",
      securityContext: "Security settings for all containers.",
      serviceAccountName: "The ServiceAccount as which the pod uses the API.",
      terminationGracePeriodSeconds: "How many seconds the pod may take to end. Default: 30.",
      tolerations: "Taints of nodes that the pod tolerates.",
      topologySpreadConstraints: "How pods are spread over zones and nodes.",
      volumes: "Volumes that containers can mount.",
    },
  },
  [`${core}.PodTemplateSpec`]: {
    description: "A template for pods.",
    fields: { metadata: "Labels and annotations of the pods.", spec: "What the pods run." },
  },
  [`${core}.Container`]: {
    description: "A container of a pod.",
    fields: {
      args: "Arguments of the command. Default: those of the image.",
      command: "The command. Default: the entry point of the image.",
      env: "Environment variables.",
      envFrom: "ConfigMaps and Secrets whose keys become environment variables.",
      image: "The image of the container.",
      imagePullPolicy: "When the image is pulled: Always, IfNotPresent or Never.",
      lifecycle: "Actions after the start and before the end.",
      livenessProbe: "Restarts the container when it fails.",
      name: "Unique in the pod.",
      ports: "Ports on which the container listens. For information.",
      readinessProbe: "Takes the pod out of Services when it fails.",
      resources: "Requests and limits of compute resources.",
      securityContext: "Security settings of the container.",
      startupProbe: "Holds back the other probes until it succeeds.",
      volumeMounts: "Where volumes are mounted.",
      workingDir: "The working directory. Default: that of the image.",
    },
  },
  [`${core}.ResourceRequirements`]: {
    description: "What a container may use.",
    fields: {
      limits: "The most that may be used.",
      requests: "What is reserved on the node. Default: the limits.",
    },
  },
  [`${core}.Service`]: { description: "One name and address for several pods.", fields: withStatus },
  [`${core}.ServiceSpec`]: {
    description: "Which pods a Service reaches, and how.",
    fields: {
      clusterIP: "The address in the cluster. None: the Service has no address.",
      externalName: "The name to which a Service of the type ExternalName refers.",
      ports: "The ports of the Service.",
      selector: "The labels of the pods.",
      sessionAffinity: "ClientIP: a client always reaches the same pod. Default: None.",
      type: "ClusterIP, NodePort, LoadBalancer or ExternalName. Default: ClusterIP.",
    },
  },
  [`${core}.ConfigMap`]: {
    description: "Configuration for pods.",
    fields: {
      ...object,
      binaryData: "Binary values in base64.",
      data: "Texts by key.",
      immutable: "Whether the data can no longer be changed.",
    },
  },
  [`${core}.Secret`]: {
    description: "Confidential values for pods.",
    fields: {
      ...object,
      data: "Values in base64, by key.",
      immutable: "Whether the data can no longer be changed.",
      stringData: "Texts by key, which the server adds to data. Never returned.",
      type: "What the Secret is for, such as kubernetes.io/tls. Default: Opaque.",
    },
  },
  [`${core}.Namespace`]: { description: "A space of names for objects.", fields: withStatus },
  [`${core}.Node`]: { description: "A machine that runs pods.", fields: withStatus },
  [`${core}.PersistentVolumeClaim`]: { description: "A request for storage.", fields: withStatus },
  [`${core}.ServiceAccount`]: { description: "A user for the programs in pods.", fields: object },
  [`${apps}.Deployment`]: {
    description: "Runs replicas of a pod and replaces them step by step when the template changes.",
    fields: withStatus,
  },
  [`${apps}.DeploymentSpec`]: {
    description: "What a Deployment runs.",
    fields: {
      minReadySeconds: minReady,
      paused: "Whether changes of the template wait.",
      progressDeadlineSeconds: "After how many seconds without progress a rollout has failed. Default: 600.",
      replicas: "How many pods are desired. Default: 1.",
      revisionHistoryLimit: `${history} Default: 10.`,
      selector: selected,
      strategy: "How pods are replaced.",
      template,
    },
  },
  [`${apps}.DeploymentStrategy`]: {
    description: "How a Deployment replaces pods.",
    fields: {
      rollingUpdate: "How many pods may be unavailable or too many during a rolling update.",
      type: "RollingUpdate or Recreate. Default: RollingUpdate.",
    },
  },
  [`${apps}.StatefulSet`]: {
    description: "Runs pods with stable names and storage, in order.",
    fields: withStatus,
  },
  [`${apps}.StatefulSetSpec`]: {
    description: "What a StatefulSet runs.",
    fields: {
      minReadySeconds: minReady,
      podManagementPolicy: "OrderedReady: one pod after the other. Parallel: all at once.",
      replicas: "How many pods are desired. Default: 1.",
      revisionHistoryLimit: `${history} Default: 10.`,
      selector: selected,
      serviceName: "The Service that gives the pods their names.",
      template,
      updateStrategy: "How pods are replaced.",
      volumeClaimTemplates: "Claims that each pod gets for itself.",
    },
  },
  [`${apps}.DaemonSet`]: { description: "Runs a pod on each node.", fields: withStatus },
  [`${apps}.DaemonSetSpec`]: {
    description: "What a DaemonSet runs.",
    fields: {
      minReadySeconds: minReady,
      revisionHistoryLimit: `${history} Default: 10.`,
      selector: selected,
      template,
      updateStrategy: "How pods are replaced.",
    },
  },
  [`${apps}.ReplicaSet`]: { description: "Keeps so many replicas of a pod.", fields: withStatus },
  [`${batch}.Job`]: { description: "Runs pods until enough of them have succeeded.", fields: withStatus },
  [`${batch}.JobSpec`]: {
    description: "What a Job runs.",
    fields: {
      activeDeadlineSeconds: "How long the Job may be active before it is failed.",
      backoffLimit: "How many retries there are before the Job fails. Default: 6.",
      completionMode: "NonIndexed or Indexed. Default: NonIndexed.",
      completions: "How many pods have to succeed.",
      parallelism: "How many pods run at once. Default: 1.",
      suspend: "Whether no pods are started.",
      template,
      ttlSecondsAfterFinished: "After how many seconds a finished Job is deleted. Default: never.",
    },
  },
  [`${batch}.CronJob`]: { description: "Creates Jobs by a schedule.", fields: withStatus },
  [`${batch}.CronJobSpec`]: {
    description: "When a CronJob creates which Jobs.",
    fields: {
      concurrencyPolicy: "Whether Jobs may overlap: Allow, Forbid or Replace. Default: Allow.",
      failedJobsHistoryLimit: "How many failed Jobs are kept. Default: 1.",
      jobTemplate: "The Jobs that are created.",
      schedule: "The times in the format of cron.",
      startingDeadlineSeconds: "How late a Job may start.",
      successfulJobsHistoryLimit: "How many successful Jobs are kept. Default: 3.",
      suspend: "Whether no Jobs are created.",
      timeZone: "The time zone of the schedule. Default: that of the control plane.",
    },
  },
  [`${networking}.Ingress`]: { description: "Routes HTTP from outside to Services.", fields: withStatus },
  [`${networking}.IngressSpec`]: {
    description: "Which requests an Ingress routes where.",
    fields: {
      defaultBackend: "Receives requests that no rule matches.",
      ingressClassName: "The IngressClass whose controller serves the Ingress.",
      rules: "Hosts and paths with their backends.",
      tls: "Hosts with the Secrets of their certificates.",
    },
  },
  [`${rbac}.Role`]: {
    description: "Permissions in a namespace.",
    fields: { ...object, rules: "What may be done." },
  },
  [`${rbac}.ClusterRole`]: {
    description: "Permissions in the whole cluster, or in any namespace in which a RoleBinding refers to it.",
    fields: {
      ...object,
      aggregationRule: "Selects ClusterRoles whose rules are gathered here.",
      rules: "What may be done.",
    },
  },
  [`${rbac}.PolicyRule`]: {
    description: "What may be done with which resources.",
    fields: {
      apiGroups: "The groups of the resources; an empty text is the core group.",
      nonResourceURLs: "Paths that are no resources. Only in ClusterRoles.",
      resourceNames: "Only objects with these names. Default: all.",
      resources: "The resources in plural; with a subresource: pods/log.",
      verbs: "What may be done: get, list, watch, create, update, patch, delete.",
    },
  },
};
