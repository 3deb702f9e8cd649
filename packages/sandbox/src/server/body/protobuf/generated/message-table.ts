// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
/**
 * The messages of the built-in kinds, one a line: the name, then of each field its number, its name in JSON (`^`: its
 * fields stand in its place) and its type (`*`: a list, `%`: a map). Types: s string, b bool, i integer, d double,
 * y bytes, `!` of a form of its own, else a message.
 */
export const messageTable: string = `admission.v1.AdmissionRequest:1 uid s,2 kind meta.v1.GroupVersionKind,3 resource meta.v1.GroupVersionResource,4 subResource s,13 requestKind meta.v1.GroupVersionKind,14 requestResource meta.v1.GroupVersionResource,15 requestSubResource s,5 name s,6 namespace s,7 operation s,8 userInfo authentication.v1.UserInfo,9 object !RawExtension,10 oldObject !RawExtension,11 dryRun b,12 options !RawExtension
admission.v1.AdmissionResponse:1 uid s,2 allowed b,3 status meta.v1.Status,4 patch y,5 patchType s,6 auditAnnotations %s,7 warnings *s
admission.v1.AdmissionReview:1 request admission.v1.AdmissionRequest,2 response admission.v1.AdmissionResponse
admissionregistration.v1.ApplyConfiguration:1 expression s
admissionregistration.v1.AuditAnnotation:1 key s,2 valueExpression s
admissionregistration.v1.ExpressionWarning:2 fieldRef s,3 warning s
admissionregistration.v1.JSONPatch:1 expression s
admissionregistration.v1.MatchCondition:1 name s,2 expression s
admissionregistration.v1.MatchResources:1 namespaceSelector meta.v1.LabelSelector,2 objectSelector meta.v1.LabelSelector,3 resourceRules *admissionregistration.v1.NamedRuleWithOperations,4 excludeResourceRules *admissionregistration.v1.NamedRuleWithOperations,7 matchPolicy s
admissionregistration.v1.MutatingAdmissionPolicy:1 metadata meta.v1.ObjectMeta,2 spec admissionregistration.v1.MutatingAdmissionPolicySpec
admissionregistration.v1.MutatingAdmissionPolicyBinding:1 metadata meta.v1.ObjectMeta,2 spec admissionregistration.v1.MutatingAdmissionPolicyBindingSpec
admissionregistration.v1.MutatingAdmissionPolicyBindingList:1 metadata meta.v1.ListMeta,2 items *admissionregistration.v1.MutatingAdmissionPolicyBinding
admissionregistration.v1.MutatingAdmissionPolicyBindingSpec:1 policyName s,2 paramRef admissionregistration.v1.ParamRef,3 matchResources admissionregistration.v1.MatchResources
admissionregistration.v1.MutatingAdmissionPolicyList:1 metadata meta.v1.ListMeta,2 items *admissionregistration.v1.MutatingAdmissionPolicy
admissionregistration.v1.MutatingAdmissionPolicySpec:1 paramKind admissionregistration.v1.ParamKind,2 matchConstraints admissionregistration.v1.MatchResources,3 variables *admissionregistration.v1.Variable,4 mutations *admissionregistration.v1.Mutation,5 failurePolicy s,6 matchConditions *admissionregistration.v1.MatchCondition,7 reinvocationPolicy s
admissionregistration.v1.MutatingWebhook:1 name s,2 clientConfig admissionregistration.v1.WebhookClientConfig,3 rules *admissionregistration.v1.RuleWithOperations,4 failurePolicy s,9 matchPolicy s,5 namespaceSelector meta.v1.LabelSelector,11 objectSelector meta.v1.LabelSelector,6 sideEffects s,7 timeoutSeconds i,8 admissionReviewVersions *s,10 reinvocationPolicy s,12 matchConditions *admissionregistration.v1.MatchCondition
admissionregistration.v1.MutatingWebhookConfiguration:1 metadata meta.v1.ObjectMeta,2 webhooks *admissionregistration.v1.MutatingWebhook
admissionregistration.v1.MutatingWebhookConfigurationList:1 metadata meta.v1.ListMeta,2 items *admissionregistration.v1.MutatingWebhookConfiguration
admissionregistration.v1.Mutation:2 patchType s,3 applyConfiguration admissionregistration.v1.ApplyConfiguration,4 jsonPatch admissionregistration.v1.JSONPatch
admissionregistration.v1.NamedRuleWithOperations:1 resourceNames *s,2 ^ruleWithOperations admissionregistration.v1.RuleWithOperations
admissionregistration.v1.ParamKind:1 apiVersion s,2 kind s
admissionregistration.v1.ParamRef:1 name s,2 namespace s,3 selector meta.v1.LabelSelector,4 parameterNotFoundAction s
admissionregistration.v1.Rule:1 apiGroups *s,2 apiVersions *s,3 resources *s,4 scope s
admissionregistration.v1.RuleWithOperations:1 operations *s,2 ^rule admissionregistration.v1.Rule
admissionregistration.v1.ServiceReference:1 namespace s,2 name s,3 path s,4 port i
admissionregistration.v1.TypeChecking:1 expressionWarnings *admissionregistration.v1.ExpressionWarning
admissionregistration.v1.ValidatingAdmissionPolicy:1 metadata meta.v1.ObjectMeta,2 spec admissionregistration.v1.ValidatingAdmissionPolicySpec,3 status admissionregistration.v1.ValidatingAdmissionPolicyStatus
admissionregistration.v1.ValidatingAdmissionPolicyBinding:1 metadata meta.v1.ObjectMeta,2 spec admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec
admissionregistration.v1.ValidatingAdmissionPolicyBindingList:1 metadata meta.v1.ListMeta,2 items *admissionregistration.v1.ValidatingAdmissionPolicyBinding
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec:1 policyName s,2 paramRef admissionregistration.v1.ParamRef,3 matchResources admissionregistration.v1.MatchResources,4 validationActions *s
admissionregistration.v1.ValidatingAdmissionPolicyList:1 metadata meta.v1.ListMeta,2 items *admissionregistration.v1.ValidatingAdmissionPolicy
admissionregistration.v1.ValidatingAdmissionPolicySpec:1 paramKind admissionregistration.v1.ParamKind,2 matchConstraints admissionregistration.v1.MatchResources,3 validations *admissionregistration.v1.Validation,4 failurePolicy s,5 auditAnnotations *admissionregistration.v1.AuditAnnotation,6 matchConditions *admissionregistration.v1.MatchCondition,7 variables *admissionregistration.v1.Variable
admissionregistration.v1.ValidatingAdmissionPolicyStatus:1 observedGeneration i,2 typeChecking admissionregistration.v1.TypeChecking,3 conditions *meta.v1.Condition
admissionregistration.v1.ValidatingWebhook:1 name s,2 clientConfig admissionregistration.v1.WebhookClientConfig,3 rules *admissionregistration.v1.RuleWithOperations,4 failurePolicy s,9 matchPolicy s,5 namespaceSelector meta.v1.LabelSelector,10 objectSelector meta.v1.LabelSelector,6 sideEffects s,7 timeoutSeconds i,8 admissionReviewVersions *s,11 matchConditions *admissionregistration.v1.MatchCondition
admissionregistration.v1.ValidatingWebhookConfiguration:1 metadata meta.v1.ObjectMeta,2 webhooks *admissionregistration.v1.ValidatingWebhook
admissionregistration.v1.ValidatingWebhookConfigurationList:1 metadata meta.v1.ListMeta,2 items *admissionregistration.v1.ValidatingWebhookConfiguration
admissionregistration.v1.Validation:1 expression s,2 message s,3 reason s,4 messageExpression s
admissionregistration.v1.Variable:1 name s,2 expression s
admissionregistration.v1.WebhookClientConfig:3 url s,1 service admissionregistration.v1.ServiceReference,2 caBundle y
apidiscovery.v2.APIGroupDiscovery:1 metadata meta.v1.ObjectMeta,2 versions *apidiscovery.v2.APIVersionDiscovery
apidiscovery.v2.APIGroupDiscoveryList:1 metadata meta.v1.ListMeta,2 items *apidiscovery.v2.APIGroupDiscovery
apidiscovery.v2.APIResourceDiscovery:1 resource s,2 responseKind meta.v1.GroupVersionKind,3 scope s,4 singularResource s,5 verbs *s,6 shortNames *s,7 categories *s,8 subresources *apidiscovery.v2.APISubresourceDiscovery
apidiscovery.v2.APISubresourceDiscovery:1 subresource s,2 responseKind meta.v1.GroupVersionKind,3 acceptedTypes *meta.v1.GroupVersionKind,4 verbs *s
apidiscovery.v2.APIVersionDiscovery:1 version s,2 resources *apidiscovery.v2.APIResourceDiscovery,3 freshness s
apiextensions.v1.ConversionRequest:1 uid s,2 desiredAPIVersion s,3 objects *!RawExtension
apiextensions.v1.ConversionResponse:1 uid s,2 convertedObjects *!RawExtension,3 result meta.v1.Status
apiextensions.v1.ConversionReview:1 request apiextensions.v1.ConversionRequest,2 response apiextensions.v1.ConversionResponse
apiextensions.v1.CustomResourceColumnDefinition:1 name s,2 type s,3 format s,4 description s,5 priority i,6 jsonPath s
apiextensions.v1.CustomResourceConversion:1 strategy s,2 webhook apiextensions.v1.WebhookConversion
apiextensions.v1.CustomResourceDefinition:1 metadata meta.v1.ObjectMeta,2 spec apiextensions.v1.CustomResourceDefinitionSpec,3 status apiextensions.v1.CustomResourceDefinitionStatus
apiextensions.v1.CustomResourceDefinitionCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s,6 observedGeneration i
apiextensions.v1.CustomResourceDefinitionList:1 metadata meta.v1.ListMeta,2 items *apiextensions.v1.CustomResourceDefinition
apiextensions.v1.CustomResourceDefinitionNames:1 plural s,2 singular s,3 shortNames *s,4 kind s,5 listKind s,6 categories *s
apiextensions.v1.CustomResourceDefinitionSpec:1 group s,3 names apiextensions.v1.CustomResourceDefinitionNames,4 scope s,7 versions *apiextensions.v1.CustomResourceDefinitionVersion,9 conversion apiextensions.v1.CustomResourceConversion,10 preserveUnknownFields b
apiextensions.v1.CustomResourceDefinitionStatus:1 conditions *apiextensions.v1.CustomResourceDefinitionCondition,2 acceptedNames apiextensions.v1.CustomResourceDefinitionNames,3 storedVersions *s,4 observedGeneration i
apiextensions.v1.CustomResourceDefinitionVersion:1 name s,2 served b,3 storage b,7 deprecated b,8 deprecationWarning s,4 schema apiextensions.v1.CustomResourceValidation,5 subresources apiextensions.v1.CustomResourceSubresources,6 additionalPrinterColumns *apiextensions.v1.CustomResourceColumnDefinition,9 selectableFields *apiextensions.v1.SelectableField
apiextensions.v1.CustomResourceSubresourceScale:1 specReplicasPath s,2 statusReplicasPath s,3 labelSelectorPath s
apiextensions.v1.CustomResourceSubresourceStatus:
apiextensions.v1.CustomResourceSubresources:1 status apiextensions.v1.CustomResourceSubresourceStatus,2 scale apiextensions.v1.CustomResourceSubresourceScale
apiextensions.v1.CustomResourceValidation:1 openAPIV3Schema apiextensions.v1.JSONSchemaProps
apiextensions.v1.ExternalDocumentation:1 description s,2 url s
apiextensions.v1.JSONSchemaProps:1 id s,2 $schema s,3 $ref s,4 description s,5 type s,6 format s,7 title s,8 default !JSON,9 maximum d,10 exclusiveMaximum b,11 minimum d,12 exclusiveMinimum b,13 maxLength i,14 minLength i,15 pattern s,16 maxItems i,17 minItems i,18 uniqueItems b,19 multipleOf d,20 enum *!JSON,21 maxProperties i,22 minProperties i,23 required *s,24 items apiextensions.v1.JSONSchemaPropsOrArray,25 allOf *apiextensions.v1.JSONSchemaProps,26 oneOf *apiextensions.v1.JSONSchemaProps,27 anyOf *apiextensions.v1.JSONSchemaProps,28 not apiextensions.v1.JSONSchemaProps,29 properties %apiextensions.v1.JSONSchemaProps,30 additionalProperties apiextensions.v1.JSONSchemaPropsOrBool,31 patternProperties %apiextensions.v1.JSONSchemaProps,32 dependencies %apiextensions.v1.JSONSchemaPropsOrStringArray,33 additionalItems apiextensions.v1.JSONSchemaPropsOrBool,34 definitions %apiextensions.v1.JSONSchemaProps,35 externalDocs apiextensions.v1.ExternalDocumentation,36 example !JSON,37 nullable b,38 x-kubernetes-preserve-unknown-fields b,39 x-kubernetes-embedded-resource b,40 x-kubernetes-int-or-string b,41 x-kubernetes-list-map-keys *s,42 x-kubernetes-list-type s,43 x-kubernetes-map-type s,44 x-kubernetes-validations *apiextensions.v1.ValidationRule
apiextensions.v1.JSONSchemaPropsOrArray:1 schema apiextensions.v1.JSONSchemaProps,2 jSONSchemas *apiextensions.v1.JSONSchemaProps
apiextensions.v1.JSONSchemaPropsOrBool:1 allows b,2 schema apiextensions.v1.JSONSchemaProps
apiextensions.v1.JSONSchemaPropsOrStringArray:1 schema apiextensions.v1.JSONSchemaProps,2 property *s
apiextensions.v1.SelectableField:1 jsonPath s
apiextensions.v1.ServiceReference:1 namespace s,2 name s,3 path s,4 port i
apiextensions.v1.ValidationRule:1 rule s,2 message s,3 messageExpression s,4 reason s,5 fieldPath s,6 optionalOldSelf b
apiextensions.v1.WebhookClientConfig:3 url s,1 service apiextensions.v1.ServiceReference,2 caBundle y
apiextensions.v1.WebhookConversion:2 clientConfig apiextensions.v1.WebhookClientConfig,3 conversionReviewVersions *s
apiregistration.v1.APIService:1 metadata meta.v1.ObjectMeta,2 spec apiregistration.v1.APIServiceSpec,3 status apiregistration.v1.APIServiceStatus
apiregistration.v1.APIServiceCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
apiregistration.v1.APIServiceList:1 metadata meta.v1.ListMeta,2 items *apiregistration.v1.APIService
apiregistration.v1.APIServiceSpec:1 service apiregistration.v1.ServiceReference,2 group s,3 version s,4 insecureSkipTLSVerify b,5 caBundle y,7 groupPriorityMinimum i,8 versionPriority i
apiregistration.v1.APIServiceStatus:1 conditions *apiregistration.v1.APIServiceCondition
apiregistration.v1.ServiceReference:1 namespace s,2 name s,3 port i
apps.v1.ControllerRevision:1 metadata meta.v1.ObjectMeta,2 data !RawExtension,3 revision i
apps.v1.ControllerRevisionList:1 metadata meta.v1.ListMeta,2 items *apps.v1.ControllerRevision
apps.v1.DaemonSet:1 metadata meta.v1.ObjectMeta,2 spec apps.v1.DaemonSetSpec,3 status apps.v1.DaemonSetStatus
apps.v1.DaemonSetCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
apps.v1.DaemonSetList:1 metadata meta.v1.ListMeta,2 items *apps.v1.DaemonSet
apps.v1.DaemonSetSpec:1 selector meta.v1.LabelSelector,2 template core.v1.PodTemplateSpec,3 updateStrategy apps.v1.DaemonSetUpdateStrategy,4 minReadySeconds i,6 revisionHistoryLimit i
apps.v1.DaemonSetStatus:1 currentNumberScheduled i,2 numberMisscheduled i,3 desiredNumberScheduled i,4 numberReady i,5 observedGeneration i,6 updatedNumberScheduled i,7 numberAvailable i,8 numberUnavailable i,9 collisionCount i,10 conditions *apps.v1.DaemonSetCondition
apps.v1.DaemonSetUpdateStrategy:1 type s,2 rollingUpdate apps.v1.RollingUpdateDaemonSet
apps.v1.Deployment:1 metadata meta.v1.ObjectMeta,2 spec apps.v1.DeploymentSpec,3 status apps.v1.DeploymentStatus
apps.v1.DeploymentCondition:1 type s,2 status s,6 lastUpdateTime !Time,7 lastTransitionTime !Time,4 reason s,5 message s
apps.v1.DeploymentList:1 metadata meta.v1.ListMeta,2 items *apps.v1.Deployment
apps.v1.DeploymentSpec:1 replicas i,2 selector meta.v1.LabelSelector,3 template core.v1.PodTemplateSpec,4 strategy apps.v1.DeploymentStrategy,5 minReadySeconds i,6 revisionHistoryLimit i,7 paused b,9 progressDeadlineSeconds i
apps.v1.DeploymentStatus:1 observedGeneration i,2 replicas i,3 updatedReplicas i,7 readyReplicas i,4 availableReplicas i,5 unavailableReplicas i,9 terminatingReplicas i,6 conditions *apps.v1.DeploymentCondition,8 collisionCount i
apps.v1.DeploymentStrategy:1 type s,2 rollingUpdate apps.v1.RollingUpdateDeployment
apps.v1.ReplicaSet:1 metadata meta.v1.ObjectMeta,2 spec apps.v1.ReplicaSetSpec,3 status apps.v1.ReplicaSetStatus
apps.v1.ReplicaSetCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
apps.v1.ReplicaSetList:1 metadata meta.v1.ListMeta,2 items *apps.v1.ReplicaSet
apps.v1.ReplicaSetSpec:1 replicas i,4 minReadySeconds i,2 selector meta.v1.LabelSelector,3 template core.v1.PodTemplateSpec
apps.v1.ReplicaSetStatus:1 replicas i,2 fullyLabeledReplicas i,4 readyReplicas i,5 availableReplicas i,7 terminatingReplicas i,3 observedGeneration i,6 conditions *apps.v1.ReplicaSetCondition
apps.v1.RollingUpdateDaemonSet:1 maxUnavailable !IntOrString,2 maxSurge !IntOrString
apps.v1.RollingUpdateDeployment:1 maxUnavailable !IntOrString,2 maxSurge !IntOrString
apps.v1.RollingUpdateStatefulSetStrategy:1 partition i,2 maxUnavailable !IntOrString
apps.v1.StatefulSet:1 metadata meta.v1.ObjectMeta,2 spec apps.v1.StatefulSetSpec,3 status apps.v1.StatefulSetStatus
apps.v1.StatefulSetCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
apps.v1.StatefulSetList:1 metadata meta.v1.ListMeta,2 items *apps.v1.StatefulSet
apps.v1.StatefulSetOrdinals:1 start i
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy:1 whenDeleted s,2 whenScaled s
apps.v1.StatefulSetSpec:1 replicas i,2 selector meta.v1.LabelSelector,3 template core.v1.PodTemplateSpec,4 volumeClaimTemplates *core.v1.PersistentVolumeClaim,5 serviceName s,6 podManagementPolicy s,7 updateStrategy apps.v1.StatefulSetUpdateStrategy,8 revisionHistoryLimit i,9 minReadySeconds i,10 persistentVolumeClaimRetentionPolicy apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy,11 ordinals apps.v1.StatefulSetOrdinals
apps.v1.StatefulSetStatus:1 observedGeneration i,2 replicas i,3 readyReplicas i,4 currentReplicas i,5 updatedReplicas i,6 currentRevision s,7 updateRevision s,9 collisionCount i,10 conditions *apps.v1.StatefulSetCondition,11 availableReplicas i
apps.v1.StatefulSetUpdateStrategy:1 type s,2 rollingUpdate apps.v1.RollingUpdateStatefulSetStrategy
authentication.v1.BoundObjectReference:1 kind s,2 apiVersion s,3 name s,4 uid s
authentication.v1.SelfSubjectReview:1 metadata meta.v1.ObjectMeta,2 status authentication.v1.SelfSubjectReviewStatus
authentication.v1.SelfSubjectReviewStatus:1 userInfo authentication.v1.UserInfo
authentication.v1.TokenRequest:1 metadata meta.v1.ObjectMeta,2 spec authentication.v1.TokenRequestSpec,3 status authentication.v1.TokenRequestStatus
authentication.v1.TokenRequestSpec:1 audiences *s,4 expirationSeconds i,3 boundObjectRef authentication.v1.BoundObjectReference
authentication.v1.TokenRequestStatus:1 token s,2 expirationTimestamp !Time
authentication.v1.TokenReview:1 metadata meta.v1.ObjectMeta,2 spec authentication.v1.TokenReviewSpec,3 status authentication.v1.TokenReviewStatus
authentication.v1.TokenReviewSpec:1 token s,2 audiences *s
authentication.v1.TokenReviewStatus:1 authenticated b,2 user authentication.v1.UserInfo,4 audiences *s,3 error s
authentication.v1.UserInfo:1 username s,2 uid s,3 groups *s,4 extra %!ExtraValue
authorization.v1.FieldSelectorAttributes:1 rawSelector s,2 requirements *meta.v1.FieldSelectorRequirement
authorization.v1.LabelSelectorAttributes:1 rawSelector s,2 requirements *meta.v1.LabelSelectorRequirement
authorization.v1.LocalSubjectAccessReview:1 metadata meta.v1.ObjectMeta,2 spec authorization.v1.SubjectAccessReviewSpec,3 status authorization.v1.SubjectAccessReviewStatus
authorization.v1.NonResourceAttributes:1 path s,2 verb s
authorization.v1.NonResourceRule:1 verbs *s,2 nonResourceURLs *s
authorization.v1.ResourceAttributes:1 namespace s,2 verb s,3 group s,4 version s,5 resource s,6 subresource s,7 name s,8 fieldSelector authorization.v1.FieldSelectorAttributes,9 labelSelector authorization.v1.LabelSelectorAttributes
authorization.v1.ResourceRule:1 verbs *s,2 apiGroups *s,3 resources *s,4 resourceNames *s
authorization.v1.SelfSubjectAccessReview:1 metadata meta.v1.ObjectMeta,2 spec authorization.v1.SelfSubjectAccessReviewSpec,3 status authorization.v1.SubjectAccessReviewStatus
authorization.v1.SelfSubjectAccessReviewSpec:1 resourceAttributes authorization.v1.ResourceAttributes,2 nonResourceAttributes authorization.v1.NonResourceAttributes
authorization.v1.SelfSubjectRulesReview:1 metadata meta.v1.ObjectMeta,2 spec authorization.v1.SelfSubjectRulesReviewSpec,3 status authorization.v1.SubjectRulesReviewStatus
authorization.v1.SelfSubjectRulesReviewSpec:1 namespace s
authorization.v1.SubjectAccessReview:1 metadata meta.v1.ObjectMeta,2 spec authorization.v1.SubjectAccessReviewSpec,3 status authorization.v1.SubjectAccessReviewStatus
authorization.v1.SubjectAccessReviewSpec:1 resourceAttributes authorization.v1.ResourceAttributes,2 nonResourceAttributes authorization.v1.NonResourceAttributes,3 user s,4 groups *s,5 extra %!ExtraValue,6 uid s
authorization.v1.SubjectAccessReviewStatus:1 allowed b,4 denied b,2 reason s,3 evaluationError s
authorization.v1.SubjectRulesReviewStatus:1 resourceRules *authorization.v1.ResourceRule,2 nonResourceRules *authorization.v1.NonResourceRule,3 incomplete b,4 evaluationError s
autoscaling.v1.ContainerResourceMetricSource:1 name s,2 targetAverageUtilization i,3 targetAverageValue !Quantity,5 container s
autoscaling.v1.ContainerResourceMetricStatus:1 name s,2 currentAverageUtilization i,3 currentAverageValue !Quantity,4 container s
autoscaling.v1.CrossVersionObjectReference:1 kind s,2 name s,3 apiVersion s
autoscaling.v1.ExternalMetricSource:1 metricName s,2 metricSelector meta.v1.LabelSelector,3 targetValue !Quantity,4 targetAverageValue !Quantity
autoscaling.v1.ExternalMetricStatus:1 metricName s,2 metricSelector meta.v1.LabelSelector,3 currentValue !Quantity,4 currentAverageValue !Quantity
autoscaling.v1.HorizontalPodAutoscaler:1 metadata meta.v1.ObjectMeta,2 spec autoscaling.v1.HorizontalPodAutoscalerSpec,3 status autoscaling.v1.HorizontalPodAutoscalerStatus
autoscaling.v1.HorizontalPodAutoscalerCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
autoscaling.v1.HorizontalPodAutoscalerList:1 metadata meta.v1.ListMeta,2 items *autoscaling.v1.HorizontalPodAutoscaler
autoscaling.v1.HorizontalPodAutoscalerSpec:1 scaleTargetRef autoscaling.v1.CrossVersionObjectReference,2 minReplicas i,3 maxReplicas i,4 targetCPUUtilizationPercentage i
autoscaling.v1.HorizontalPodAutoscalerStatus:1 observedGeneration i,2 lastScaleTime !Time,3 currentReplicas i,4 desiredReplicas i,5 currentCPUUtilizationPercentage i
autoscaling.v1.MetricSpec:1 type s,2 object autoscaling.v1.ObjectMetricSource,3 pods autoscaling.v1.PodsMetricSource,4 resource autoscaling.v1.ResourceMetricSource,7 containerResource autoscaling.v1.ContainerResourceMetricSource,5 external autoscaling.v1.ExternalMetricSource
autoscaling.v1.MetricStatus:1 type s,2 object autoscaling.v1.ObjectMetricStatus,3 pods autoscaling.v1.PodsMetricStatus,4 resource autoscaling.v1.ResourceMetricStatus,7 containerResource autoscaling.v1.ContainerResourceMetricStatus,5 external autoscaling.v1.ExternalMetricStatus
autoscaling.v1.ObjectMetricSource:1 target autoscaling.v1.CrossVersionObjectReference,2 metricName s,3 targetValue !Quantity,4 selector meta.v1.LabelSelector,5 averageValue !Quantity
autoscaling.v1.ObjectMetricStatus:1 target autoscaling.v1.CrossVersionObjectReference,2 metricName s,3 currentValue !Quantity,4 selector meta.v1.LabelSelector,5 averageValue !Quantity
autoscaling.v1.PodsMetricSource:1 metricName s,2 targetAverageValue !Quantity,3 selector meta.v1.LabelSelector
autoscaling.v1.PodsMetricStatus:1 metricName s,2 currentAverageValue !Quantity,3 selector meta.v1.LabelSelector
autoscaling.v1.ResourceMetricSource:1 name s,2 targetAverageUtilization i,3 targetAverageValue !Quantity
autoscaling.v1.ResourceMetricStatus:1 name s,2 currentAverageUtilization i,3 currentAverageValue !Quantity
autoscaling.v1.Scale:1 metadata meta.v1.ObjectMeta,2 spec autoscaling.v1.ScaleSpec,3 status autoscaling.v1.ScaleStatus
autoscaling.v1.ScaleSpec:1 replicas i
autoscaling.v1.ScaleStatus:1 replicas i,2 selector s
autoscaling.v2.ContainerResourceMetricSource:1 name s,2 target autoscaling.v2.MetricTarget,3 container s
autoscaling.v2.ContainerResourceMetricStatus:1 name s,2 current autoscaling.v2.MetricValueStatus,3 container s
autoscaling.v2.CrossVersionObjectReference:1 kind s,2 name s,3 apiVersion s
autoscaling.v2.ExternalMetricSource:1 metric autoscaling.v2.MetricIdentifier,2 target autoscaling.v2.MetricTarget
autoscaling.v2.ExternalMetricStatus:1 metric autoscaling.v2.MetricIdentifier,2 current autoscaling.v2.MetricValueStatus
autoscaling.v2.HPAScalingPolicy:1 type s,2 value i,3 periodSeconds i
autoscaling.v2.HPAScalingRules:3 stabilizationWindowSeconds i,1 selectPolicy s,2 policies *autoscaling.v2.HPAScalingPolicy,4 tolerance !Quantity
autoscaling.v2.HorizontalPodAutoscaler:1 metadata meta.v1.ObjectMeta,2 spec autoscaling.v2.HorizontalPodAutoscalerSpec,3 status autoscaling.v2.HorizontalPodAutoscalerStatus
autoscaling.v2.HorizontalPodAutoscalerBehavior:1 scaleUp autoscaling.v2.HPAScalingRules,2 scaleDown autoscaling.v2.HPAScalingRules
autoscaling.v2.HorizontalPodAutoscalerCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
autoscaling.v2.HorizontalPodAutoscalerList:1 metadata meta.v1.ListMeta,2 items *autoscaling.v2.HorizontalPodAutoscaler
autoscaling.v2.HorizontalPodAutoscalerSpec:1 scaleTargetRef autoscaling.v2.CrossVersionObjectReference,2 minReplicas i,3 maxReplicas i,4 metrics *autoscaling.v2.MetricSpec,5 behavior autoscaling.v2.HorizontalPodAutoscalerBehavior
autoscaling.v2.HorizontalPodAutoscalerStatus:1 observedGeneration i,2 lastScaleTime !Time,3 currentReplicas i,4 desiredReplicas i,5 currentMetrics *autoscaling.v2.MetricStatus,6 conditions *autoscaling.v2.HorizontalPodAutoscalerCondition
autoscaling.v2.MetricIdentifier:1 name s,2 selector meta.v1.LabelSelector
autoscaling.v2.MetricSpec:1 type s,2 object autoscaling.v2.ObjectMetricSource,3 pods autoscaling.v2.PodsMetricSource,4 resource autoscaling.v2.ResourceMetricSource,7 containerResource autoscaling.v2.ContainerResourceMetricSource,5 external autoscaling.v2.ExternalMetricSource
autoscaling.v2.MetricStatus:1 type s,2 object autoscaling.v2.ObjectMetricStatus,3 pods autoscaling.v2.PodsMetricStatus,4 resource autoscaling.v2.ResourceMetricStatus,7 containerResource autoscaling.v2.ContainerResourceMetricStatus,5 external autoscaling.v2.ExternalMetricStatus
autoscaling.v2.MetricTarget:1 type s,2 value !Quantity,3 averageValue !Quantity,4 averageUtilization i
autoscaling.v2.MetricValueStatus:1 value !Quantity,2 averageValue !Quantity,3 averageUtilization i
autoscaling.v2.ObjectMetricSource:1 describedObject autoscaling.v2.CrossVersionObjectReference,2 target autoscaling.v2.MetricTarget,3 metric autoscaling.v2.MetricIdentifier
autoscaling.v2.ObjectMetricStatus:1 metric autoscaling.v2.MetricIdentifier,2 current autoscaling.v2.MetricValueStatus,3 describedObject autoscaling.v2.CrossVersionObjectReference
autoscaling.v2.PodsMetricSource:1 metric autoscaling.v2.MetricIdentifier,2 target autoscaling.v2.MetricTarget
autoscaling.v2.PodsMetricStatus:1 metric autoscaling.v2.MetricIdentifier,2 current autoscaling.v2.MetricValueStatus
autoscaling.v2.ResourceMetricSource:1 name s,2 target autoscaling.v2.MetricTarget
autoscaling.v2.ResourceMetricStatus:1 name s,2 current autoscaling.v2.MetricValueStatus
batch.v1.CronJob:1 metadata meta.v1.ObjectMeta,2 spec batch.v1.CronJobSpec,3 status batch.v1.CronJobStatus
batch.v1.CronJobList:1 metadata meta.v1.ListMeta,2 items *batch.v1.CronJob
batch.v1.CronJobSpec:1 schedule s,8 timeZone s,2 startingDeadlineSeconds i,3 concurrencyPolicy s,4 suspend b,5 jobTemplate batch.v1.JobTemplateSpec,6 successfulJobsHistoryLimit i,7 failedJobsHistoryLimit i
batch.v1.CronJobStatus:1 active *core.v1.ObjectReference,4 lastScheduleTime !Time,5 lastSuccessfulTime !Time
batch.v1.Job:1 metadata meta.v1.ObjectMeta,2 spec batch.v1.JobSpec,3 status batch.v1.JobStatus
batch.v1.JobCondition:1 type s,2 status s,3 lastProbeTime !Time,4 lastTransitionTime !Time,5 reason s,6 message s
batch.v1.JobList:1 metadata meta.v1.ListMeta,2 items *batch.v1.Job
batch.v1.JobSpec:1 parallelism i,2 completions i,3 activeDeadlineSeconds i,11 podFailurePolicy batch.v1.PodFailurePolicy,16 successPolicy batch.v1.SuccessPolicy,7 backoffLimit i,12 backoffLimitPerIndex i,13 maxFailedIndexes i,4 selector meta.v1.LabelSelector,5 manualSelector b,6 template core.v1.PodTemplateSpec,8 ttlSecondsAfterFinished i,9 completionMode s,10 suspend b,14 podReplacementPolicy s,15 managedBy s
batch.v1.JobStatus:1 conditions *batch.v1.JobCondition,2 startTime !Time,3 completionTime !Time,4 active i,5 succeeded i,6 failed i,11 terminating i,7 completedIndexes s,10 failedIndexes s,8 uncountedTerminatedPods batch.v1.UncountedTerminatedPods,9 ready i
batch.v1.JobTemplateSpec:1 metadata meta.v1.ObjectMeta,2 spec batch.v1.JobSpec
batch.v1.PodFailurePolicy:1 rules *batch.v1.PodFailurePolicyRule
batch.v1.PodFailurePolicyOnExitCodesRequirement:1 containerName s,2 operator s,3 values *i
batch.v1.PodFailurePolicyOnPodConditionsPattern:1 type s,2 status s
batch.v1.PodFailurePolicyRule:1 action s,2 onExitCodes batch.v1.PodFailurePolicyOnExitCodesRequirement,3 onPodConditions *batch.v1.PodFailurePolicyOnPodConditionsPattern
batch.v1.SuccessPolicy:1 rules *batch.v1.SuccessPolicyRule
batch.v1.SuccessPolicyRule:1 succeededIndexes s,2 succeededCount i
batch.v1.UncountedTerminatedPods:1 succeeded *s,2 failed *s
certificates.v1.CertificateSigningRequest:1 metadata meta.v1.ObjectMeta,2 spec certificates.v1.CertificateSigningRequestSpec,3 status certificates.v1.CertificateSigningRequestStatus
certificates.v1.CertificateSigningRequestCondition:1 type s,6 status s,2 reason s,3 message s,4 lastUpdateTime !Time,5 lastTransitionTime !Time
certificates.v1.CertificateSigningRequestList:1 metadata meta.v1.ListMeta,2 items *certificates.v1.CertificateSigningRequest
certificates.v1.CertificateSigningRequestSpec:1 request y,7 signerName s,8 expirationSeconds i,5 usages *s,2 username s,3 uid s,4 groups *s,6 extra %!ExtraValue
certificates.v1.CertificateSigningRequestStatus:1 conditions *certificates.v1.CertificateSigningRequestCondition,2 certificate y
coordination.v1.Lease:1 metadata meta.v1.ObjectMeta,2 spec coordination.v1.LeaseSpec
coordination.v1.LeaseList:1 metadata meta.v1.ListMeta,2 items *coordination.v1.Lease
coordination.v1.LeaseSpec:1 holderIdentity s,2 leaseDurationSeconds i,3 acquireTime !MicroTime,4 renewTime !MicroTime,5 leaseTransitions i,6 strategy s,7 preferredHolder s
core.v1.AWSElasticBlockStoreVolumeSource:1 volumeID s,2 fsType s,3 partition i,4 readOnly b
core.v1.Affinity:1 nodeAffinity core.v1.NodeAffinity,2 podAffinity core.v1.PodAffinity,3 podAntiAffinity core.v1.PodAntiAffinity
core.v1.AppArmorProfile:1 type s,2 localhostProfile s
core.v1.AttachedVolume:1 name s,2 devicePath s
core.v1.AvoidPods:1 preferAvoidPods *core.v1.PreferAvoidPodsEntry
core.v1.AzureDiskVolumeSource:1 diskName s,2 diskURI s,3 cachingMode s,4 fsType s,5 readOnly b,6 kind s
core.v1.AzureFilePersistentVolumeSource:1 secretName s,2 shareName s,3 readOnly b,4 secretNamespace s
core.v1.AzureFileVolumeSource:1 secretName s,2 shareName s,3 readOnly b
core.v1.Binding:1 metadata meta.v1.ObjectMeta,2 target core.v1.ObjectReference
core.v1.CSIPersistentVolumeSource:1 driver s,2 volumeHandle s,3 readOnly b,4 fsType s,5 volumeAttributes %s,6 controllerPublishSecretRef core.v1.SecretReference,7 nodeStageSecretRef core.v1.SecretReference,8 nodePublishSecretRef core.v1.SecretReference,9 controllerExpandSecretRef core.v1.SecretReference,10 nodeExpandSecretRef core.v1.SecretReference
core.v1.CSIVolumeSource:1 driver s,2 readOnly b,3 fsType s,4 volumeAttributes %s,5 nodePublishSecretRef core.v1.LocalObjectReference
core.v1.Capabilities:1 add *s,2 drop *s
core.v1.CephFSPersistentVolumeSource:1 monitors *s,2 path s,3 user s,4 secretFile s,5 secretRef core.v1.SecretReference,6 readOnly b
core.v1.CephFSVolumeSource:1 monitors *s,2 path s,3 user s,4 secretFile s,5 secretRef core.v1.LocalObjectReference,6 readOnly b
core.v1.CinderPersistentVolumeSource:1 volumeID s,2 fsType s,3 readOnly b,4 secretRef core.v1.SecretReference
core.v1.CinderVolumeSource:1 volumeID s,2 fsType s,3 readOnly b,4 secretRef core.v1.LocalObjectReference
core.v1.ClientIPConfig:1 timeoutSeconds i
core.v1.ClusterTrustBundleProjection:1 name s,2 signerName s,3 labelSelector meta.v1.LabelSelector,5 optional b,4 path s
core.v1.ComponentCondition:1 type s,2 status s,3 message s,4 error s
core.v1.ComponentStatus:1 metadata meta.v1.ObjectMeta,2 conditions *core.v1.ComponentCondition
core.v1.ComponentStatusList:1 metadata meta.v1.ListMeta,2 items *core.v1.ComponentStatus
core.v1.ConfigMap:1 metadata meta.v1.ObjectMeta,4 immutable b,2 data %s,3 binaryData %y
core.v1.ConfigMapEnvSource:1 ^localObjectReference core.v1.LocalObjectReference,2 optional b
core.v1.ConfigMapKeySelector:1 ^localObjectReference core.v1.LocalObjectReference,2 key s,3 optional b
core.v1.ConfigMapList:1 metadata meta.v1.ListMeta,2 items *core.v1.ConfigMap
core.v1.ConfigMapNodeConfigSource:1 namespace s,2 name s,3 uid s,4 resourceVersion s,5 kubeletConfigKey s
core.v1.ConfigMapProjection:1 ^localObjectReference core.v1.LocalObjectReference,2 items *core.v1.KeyToPath,4 optional b
core.v1.ConfigMapVolumeSource:1 ^localObjectReference core.v1.LocalObjectReference,2 items *core.v1.KeyToPath,3 defaultMode i,4 optional b
core.v1.Container:1 name s,2 image s,3 command *s,4 args *s,5 workingDir s,6 ports *core.v1.ContainerPort,19 envFrom *core.v1.EnvFromSource,7 env *core.v1.EnvVar,8 resources core.v1.ResourceRequirements,23 resizePolicy *core.v1.ContainerResizePolicy,24 restartPolicy s,25 restartPolicyRules *core.v1.ContainerRestartRule,9 volumeMounts *core.v1.VolumeMount,21 volumeDevices *core.v1.VolumeDevice,10 livenessProbe core.v1.Probe,11 readinessProbe core.v1.Probe,22 startupProbe core.v1.Probe,12 lifecycle core.v1.Lifecycle,13 terminationMessagePath s,20 terminationMessagePolicy s,14 imagePullPolicy s,15 securityContext core.v1.SecurityContext,16 stdin b,17 stdinOnce b,18 tty b
core.v1.ContainerExtendedResourceRequest:1 containerName s,2 resourceName s,3 requestName s
core.v1.ContainerImage:1 names *s,2 sizeBytes i
core.v1.ContainerPort:1 name s,2 hostPort i,3 containerPort i,4 protocol s,5 hostIP s
core.v1.ContainerResizePolicy:1 resourceName s,2 restartPolicy s
core.v1.ContainerRestartRule:1 action s,2 exitCodes core.v1.ContainerRestartRuleOnExitCodes
core.v1.ContainerRestartRuleOnExitCodes:1 operator s,2 values *i
core.v1.ContainerState:1 waiting core.v1.ContainerStateWaiting,2 running core.v1.ContainerStateRunning,3 terminated core.v1.ContainerStateTerminated
core.v1.ContainerStateRunning:1 startedAt !Time
core.v1.ContainerStateTerminated:1 exitCode i,2 signal i,3 reason s,4 message s,5 startedAt !Time,6 finishedAt !Time,7 containerID s
core.v1.ContainerStateWaiting:1 reason s,2 message s
core.v1.ContainerStatus:1 name s,2 state core.v1.ContainerState,3 lastState core.v1.ContainerState,4 ready b,5 restartCount i,6 image s,7 imageID s,8 containerID s,9 started b,10 allocatedResources %!Quantity,11 resources core.v1.ResourceRequirements,12 volumeMounts *core.v1.VolumeMountStatus,13 user core.v1.ContainerUser,14 allocatedResourcesStatus *core.v1.ResourceStatus,15 stopSignal s
core.v1.ContainerUser:1 linux core.v1.LinuxContainerUser
core.v1.DaemonEndpoint:1 Port i
core.v1.DownwardAPIProjection:1 items *core.v1.DownwardAPIVolumeFile
core.v1.DownwardAPIVolumeFile:1 path s,2 fieldRef core.v1.ObjectFieldSelector,3 resourceFieldRef core.v1.ResourceFieldSelector,4 mode i
core.v1.DownwardAPIVolumeSource:1 items *core.v1.DownwardAPIVolumeFile,2 defaultMode i
core.v1.EmptyDirVolumeSource:1 medium s,2 sizeLimit !Quantity
core.v1.EndpointAddress:1 ip s,3 hostname s,4 nodeName s,2 targetRef core.v1.ObjectReference
core.v1.EndpointPort:1 name s,2 port i,3 protocol s,4 appProtocol s
core.v1.EndpointSubset:1 addresses *core.v1.EndpointAddress,2 notReadyAddresses *core.v1.EndpointAddress,3 ports *core.v1.EndpointPort
core.v1.Endpoints:1 metadata meta.v1.ObjectMeta,2 subsets *core.v1.EndpointSubset
core.v1.EndpointsList:1 metadata meta.v1.ListMeta,2 items *core.v1.Endpoints
core.v1.EnvFromSource:1 prefix s,2 configMapRef core.v1.ConfigMapEnvSource,3 secretRef core.v1.SecretEnvSource
core.v1.EnvVar:1 name s,2 value s,3 valueFrom core.v1.EnvVarSource
core.v1.EnvVarSource:1 fieldRef core.v1.ObjectFieldSelector,2 resourceFieldRef core.v1.ResourceFieldSelector,3 configMapKeyRef core.v1.ConfigMapKeySelector,4 secretKeyRef core.v1.SecretKeySelector,5 fileKeyRef core.v1.FileKeySelector
core.v1.EphemeralContainer:1 ephemeralContainerCommon core.v1.EphemeralContainerCommon,2 targetContainerName s
core.v1.EphemeralContainerCommon:1 name s,2 image s,3 command *s,4 args *s,5 workingDir s,6 ports *core.v1.ContainerPort,19 envFrom *core.v1.EnvFromSource,7 env *core.v1.EnvVar,8 resources core.v1.ResourceRequirements,23 resizePolicy *core.v1.ContainerResizePolicy,24 restartPolicy s,25 restartPolicyRules *core.v1.ContainerRestartRule,9 volumeMounts *core.v1.VolumeMount,21 volumeDevices *core.v1.VolumeDevice,10 livenessProbe core.v1.Probe,11 readinessProbe core.v1.Probe,22 startupProbe core.v1.Probe,12 lifecycle core.v1.Lifecycle,13 terminationMessagePath s,20 terminationMessagePolicy s,14 imagePullPolicy s,15 securityContext core.v1.SecurityContext,16 stdin b,17 stdinOnce b,18 tty b
core.v1.EphemeralVolumeSource:1 volumeClaimTemplate core.v1.PersistentVolumeClaimTemplate
core.v1.Event:1 metadata meta.v1.ObjectMeta,2 involvedObject core.v1.ObjectReference,3 reason s,4 message s,5 source core.v1.EventSource,6 firstTimestamp !Time,7 lastTimestamp !Time,8 count i,9 type s,10 eventTime !MicroTime,11 series core.v1.EventSeries,12 action s,13 related core.v1.ObjectReference,14 reportingComponent s,15 reportingInstance s
core.v1.EventList:1 metadata meta.v1.ListMeta,2 items *core.v1.Event
core.v1.EventSeries:1 count i,2 lastObservedTime !MicroTime
core.v1.EventSource:1 component s,2 host s
core.v1.ExecAction:1 command *s
core.v1.FCVolumeSource:1 targetWWNs *s,2 lun i,3 fsType s,4 readOnly b,5 wwids *s
core.v1.FileKeySelector:1 volumeName s,2 path s,3 key s,4 optional b
core.v1.FlexPersistentVolumeSource:1 driver s,2 fsType s,3 secretRef core.v1.SecretReference,4 readOnly b,5 options %s
core.v1.FlexVolumeSource:1 driver s,2 fsType s,3 secretRef core.v1.LocalObjectReference,4 readOnly b,5 options %s
core.v1.FlockerVolumeSource:1 datasetName s,2 datasetUUID s
core.v1.GCEPersistentDiskVolumeSource:1 pdName s,2 fsType s,3 partition i,4 readOnly b
core.v1.GRPCAction:1 port i,2 service s
core.v1.GitRepoVolumeSource:1 repository s,2 revision s,3 directory s
core.v1.GlusterfsPersistentVolumeSource:1 endpoints s,2 path s,3 readOnly b,4 endpointsNamespace s
core.v1.GlusterfsVolumeSource:1 endpoints s,2 path s,3 readOnly b
core.v1.HTTPGetAction:1 path s,2 port !IntOrString,3 host s,4 scheme s,5 httpHeaders *core.v1.HTTPHeader
core.v1.HTTPHeader:1 name s,2 value s
core.v1.HostAlias:1 ip s,2 hostnames *s
core.v1.HostIP:1 ip s
core.v1.HostPathVolumeSource:1 path s,2 type s
core.v1.ISCSIPersistentVolumeSource:1 targetPortal s,2 iqn s,3 lun i,4 iscsiInterface s,5 fsType s,6 readOnly b,7 portals *s,8 chapAuthDiscovery b,11 chapAuthSession b,10 secretRef core.v1.SecretReference,12 initiatorName s
core.v1.ISCSIVolumeSource:1 targetPortal s,2 iqn s,3 lun i,4 iscsiInterface s,5 fsType s,6 readOnly b,7 portals *s,8 chapAuthDiscovery b,11 chapAuthSession b,10 secretRef core.v1.LocalObjectReference,12 initiatorName s
core.v1.ImageVolumeSource:1 reference s,2 pullPolicy s
core.v1.ImageVolumeStatus:1 imageRef s
core.v1.KeyToPath:1 key s,2 path s,3 mode i
core.v1.Lifecycle:1 postStart core.v1.LifecycleHandler,2 preStop core.v1.LifecycleHandler,3 stopSignal s
core.v1.LifecycleHandler:1 exec core.v1.ExecAction,2 httpGet core.v1.HTTPGetAction,3 tcpSocket core.v1.TCPSocketAction,4 sleep core.v1.SleepAction
core.v1.LimitRange:1 metadata meta.v1.ObjectMeta,2 spec core.v1.LimitRangeSpec
core.v1.LimitRangeItem:1 type s,2 max %!Quantity,3 min %!Quantity,4 default %!Quantity,5 defaultRequest %!Quantity,6 maxLimitRequestRatio %!Quantity
core.v1.LimitRangeList:1 metadata meta.v1.ListMeta,2 items *core.v1.LimitRange
core.v1.LimitRangeSpec:1 limits *core.v1.LimitRangeItem
core.v1.LinuxContainerUser:1 uid i,2 gid i,3 supplementalGroups *i
core.v1.List:1 metadata meta.v1.ListMeta,2 items *!RawExtension
core.v1.LoadBalancerIngress:1 ip s,2 hostname s,3 ipMode s,4 ports *core.v1.PortStatus
core.v1.LoadBalancerStatus:1 ingress *core.v1.LoadBalancerIngress
core.v1.LocalObjectReference:1 name s
core.v1.LocalVolumeSource:1 path s,2 fsType s
core.v1.ModifyVolumeStatus:1 targetVolumeAttributesClassName s,2 status s
core.v1.NFSVolumeSource:1 server s,2 path s,3 readOnly b
core.v1.Namespace:1 metadata meta.v1.ObjectMeta,2 spec core.v1.NamespaceSpec,3 status core.v1.NamespaceStatus
core.v1.NamespaceCondition:1 type s,2 status s,4 lastTransitionTime !Time,5 reason s,6 message s
core.v1.NamespaceList:1 metadata meta.v1.ListMeta,2 items *core.v1.Namespace
core.v1.NamespaceSpec:1 finalizers *s
core.v1.NamespaceStatus:1 phase s,2 conditions *core.v1.NamespaceCondition
core.v1.Node:1 metadata meta.v1.ObjectMeta,2 spec core.v1.NodeSpec,3 status core.v1.NodeStatus
core.v1.NodeAddress:1 type s,2 address s
core.v1.NodeAffinity:1 requiredDuringSchedulingIgnoredDuringExecution core.v1.NodeSelector,2 preferredDuringSchedulingIgnoredDuringExecution *core.v1.PreferredSchedulingTerm
core.v1.NodeAllocatableResourceClaimStatus:1 resourceClaimName s,2 containers *s,3 resources %!Quantity
core.v1.NodeCondition:1 type s,2 status s,3 lastHeartbeatTime !Time,4 lastTransitionTime !Time,5 reason s,6 message s
core.v1.NodeConfigSource:2 configMap core.v1.ConfigMapNodeConfigSource
core.v1.NodeConfigStatus:1 assigned core.v1.NodeConfigSource,2 active core.v1.NodeConfigSource,3 lastKnownGood core.v1.NodeConfigSource,4 error s
core.v1.NodeDaemonEndpoints:1 kubeletEndpoint core.v1.DaemonEndpoint
core.v1.NodeFeatures:1 supplementalGroupsPolicy b
core.v1.NodeList:1 metadata meta.v1.ListMeta,2 items *core.v1.Node
core.v1.NodeProxyOptions:1 path s
core.v1.NodeRuntimeHandler:1 name s,2 features core.v1.NodeRuntimeHandlerFeatures
core.v1.NodeRuntimeHandlerFeatures:1 recursiveReadOnlyMounts b,2 userNamespaces b
core.v1.NodeSelector:1 nodeSelectorTerms *core.v1.NodeSelectorTerm
core.v1.NodeSelectorRequirement:1 key s,2 operator s,3 values *s
core.v1.NodeSelectorTerm:1 matchExpressions *core.v1.NodeSelectorRequirement,2 matchFields *core.v1.NodeSelectorRequirement
core.v1.NodeSpec:1 podCIDR s,7 podCIDRs *s,3 providerID s,4 unschedulable b,5 taints *core.v1.Taint,6 configSource core.v1.NodeConfigSource,2 externalID s
core.v1.NodeStatus:1 capacity %!Quantity,2 allocatable %!Quantity,3 phase s,4 conditions *core.v1.NodeCondition,5 addresses *core.v1.NodeAddress,6 daemonEndpoints core.v1.NodeDaemonEndpoints,7 nodeInfo core.v1.NodeSystemInfo,8 images *core.v1.ContainerImage,9 volumesInUse *s,10 volumesAttached *core.v1.AttachedVolume,11 config core.v1.NodeConfigStatus,12 runtimeHandlers *core.v1.NodeRuntimeHandler,13 features core.v1.NodeFeatures,14 declaredFeatures *s
core.v1.NodeSwapStatus:1 capacity i
core.v1.NodeSystemInfo:1 machineID s,2 systemUUID s,3 bootID s,4 kernelVersion s,5 osImage s,6 containerRuntimeVersion s,7 kubeletVersion s,8 kubeProxyVersion s,9 operatingSystem s,10 architecture s,11 swap core.v1.NodeSwapStatus
core.v1.ObjectFieldSelector:1 apiVersion s,2 fieldPath s
core.v1.ObjectReference:1 kind s,2 namespace s,3 name s,4 uid s,5 apiVersion s,6 resourceVersion s,7 fieldPath s
core.v1.PersistentVolume:1 metadata meta.v1.ObjectMeta,2 spec core.v1.PersistentVolumeSpec,3 status core.v1.PersistentVolumeStatus
core.v1.PersistentVolumeClaim:1 metadata meta.v1.ObjectMeta,2 spec core.v1.PersistentVolumeClaimSpec,3 status core.v1.PersistentVolumeClaimStatus
core.v1.PersistentVolumeClaimCondition:1 type s,2 status s,3 lastProbeTime !Time,4 lastTransitionTime !Time,5 reason s,6 message s
core.v1.PersistentVolumeClaimList:1 metadata meta.v1.ListMeta,2 items *core.v1.PersistentVolumeClaim
core.v1.PersistentVolumeClaimSpec:1 accessModes *s,4 selector meta.v1.LabelSelector,2 resources core.v1.VolumeResourceRequirements,3 volumeName s,5 storageClassName s,6 volumeMode s,7 dataSource core.v1.TypedLocalObjectReference,8 dataSourceRef core.v1.TypedObjectReference,9 volumeAttributesClassName s
core.v1.PersistentVolumeClaimStatus:1 phase s,2 accessModes *s,3 capacity %!Quantity,4 conditions *core.v1.PersistentVolumeClaimCondition,5 allocatedResources %!Quantity,7 allocatedResourceStatuses %s,8 currentVolumeAttributesClassName s,9 modifyVolumeStatus core.v1.ModifyVolumeStatus
core.v1.PersistentVolumeClaimTemplate:1 metadata meta.v1.ObjectMeta,2 spec core.v1.PersistentVolumeClaimSpec
core.v1.PersistentVolumeClaimVolumeSource:1 claimName s,2 readOnly b
core.v1.PersistentVolumeList:1 metadata meta.v1.ListMeta,2 items *core.v1.PersistentVolume
core.v1.PersistentVolumeSource:1 gcePersistentDisk core.v1.GCEPersistentDiskVolumeSource,2 awsElasticBlockStore core.v1.AWSElasticBlockStoreVolumeSource,3 hostPath core.v1.HostPathVolumeSource,4 glusterfs core.v1.GlusterfsPersistentVolumeSource,5 nfs core.v1.NFSVolumeSource,6 rbd core.v1.RBDPersistentVolumeSource,7 iscsi core.v1.ISCSIPersistentVolumeSource,8 cinder core.v1.CinderPersistentVolumeSource,9 cephfs core.v1.CephFSPersistentVolumeSource,10 fc core.v1.FCVolumeSource,11 flocker core.v1.FlockerVolumeSource,12 flexVolume core.v1.FlexPersistentVolumeSource,13 azureFile core.v1.AzureFilePersistentVolumeSource,14 vsphereVolume core.v1.VsphereVirtualDiskVolumeSource,15 quobyte core.v1.QuobyteVolumeSource,16 azureDisk core.v1.AzureDiskVolumeSource,17 photonPersistentDisk core.v1.PhotonPersistentDiskVolumeSource,18 portworxVolume core.v1.PortworxVolumeSource,19 scaleIO core.v1.ScaleIOPersistentVolumeSource,20 local core.v1.LocalVolumeSource,21 storageos core.v1.StorageOSPersistentVolumeSource,22 csi core.v1.CSIPersistentVolumeSource
core.v1.PersistentVolumeSpec:1 capacity %!Quantity,2 ^persistentVolumeSource core.v1.PersistentVolumeSource,3 accessModes *s,4 claimRef core.v1.ObjectReference,5 persistentVolumeReclaimPolicy s,6 storageClassName s,7 mountOptions *s,8 volumeMode s,9 nodeAffinity core.v1.VolumeNodeAffinity,10 volumeAttributesClassName s
core.v1.PersistentVolumeStatus:1 phase s,2 message s,3 reason s,4 lastPhaseTransitionTime !Time
core.v1.PhotonPersistentDiskVolumeSource:1 pdID s,2 fsType s
core.v1.Pod:1 metadata meta.v1.ObjectMeta,2 spec core.v1.PodSpec,3 status core.v1.PodStatus
core.v1.PodAffinity:1 requiredDuringSchedulingIgnoredDuringExecution *core.v1.PodAffinityTerm,2 preferredDuringSchedulingIgnoredDuringExecution *core.v1.WeightedPodAffinityTerm
core.v1.PodAffinityTerm:1 labelSelector meta.v1.LabelSelector,2 namespaces *s,3 topologyKey s,4 namespaceSelector meta.v1.LabelSelector,5 matchLabelKeys *s,6 mismatchLabelKeys *s
core.v1.PodAntiAffinity:1 requiredDuringSchedulingIgnoredDuringExecution *core.v1.PodAffinityTerm,2 preferredDuringSchedulingIgnoredDuringExecution *core.v1.WeightedPodAffinityTerm
core.v1.PodAttachOptions:1 stdin b,2 stdout b,3 stderr b,4 tty b,5 container s
core.v1.PodCertificateProjection:1 signerName s,2 keyType s,3 maxExpirationSeconds i,4 credentialBundlePath s,5 keyPath s,6 certificateChainPath s,7 userAnnotations %s
core.v1.PodCondition:1 type s,7 observedGeneration i,2 status s,3 lastProbeTime !Time,4 lastTransitionTime !Time,5 reason s,6 message s
core.v1.PodDNSConfig:1 nameservers *s,2 searches *s,3 options *core.v1.PodDNSConfigOption
core.v1.PodDNSConfigOption:1 name s,2 value s
core.v1.PodExecOptions:1 stdin b,2 stdout b,3 stderr b,4 tty b,5 container s,6 command *s
core.v1.PodExtendedResourceClaimStatus:1 requestMappings *core.v1.ContainerExtendedResourceRequest,2 resourceClaimName s
core.v1.PodIP:1 ip s
core.v1.PodList:1 metadata meta.v1.ListMeta,2 items *core.v1.Pod
core.v1.PodLogOptions:1 container s,2 follow b,3 previous b,4 sinceSeconds i,5 sinceTime !Time,6 timestamps b,7 tailLines i,8 limitBytes i,9 insecureSkipTLSVerifyBackend b,10 stream s
core.v1.PodOS:1 name s
core.v1.PodPortForwardOptions:1 ports *i
core.v1.PodProxyOptions:1 path s
core.v1.PodReadinessGate:1 conditionType s
core.v1.PodResourceClaim:1 name s,3 resourceClaimName s,4 resourceClaimTemplateName s
core.v1.PodResourceClaimStatus:1 name s,2 resourceClaimName s
core.v1.PodSchedulingGate:1 name s
core.v1.PodSchedulingGroup:1 podGroupName s
core.v1.PodSecurityContext:1 seLinuxOptions core.v1.SELinuxOptions,8 windowsOptions core.v1.WindowsSecurityContextOptions,2 runAsUser i,6 runAsGroup i,3 runAsNonRoot b,4 supplementalGroups *i,12 supplementalGroupsPolicy s,5 fsGroup i,7 sysctls *core.v1.Sysctl,9 fsGroupChangePolicy s,10 seccompProfile core.v1.SeccompProfile,11 appArmorProfile core.v1.AppArmorProfile,13 seLinuxChangePolicy s
core.v1.PodSignature:1 podController meta.v1.OwnerReference
core.v1.PodSpec:1 volumes *core.v1.Volume,20 initContainers *core.v1.Container,2 containers *core.v1.Container,34 ephemeralContainers *core.v1.EphemeralContainer,3 restartPolicy s,4 terminationGracePeriodSeconds i,5 activeDeadlineSeconds i,6 dnsPolicy s,7 nodeSelector %s,8 serviceAccountName s,9 serviceAccount s,21 automountServiceAccountToken b,10 nodeName s,11 hostNetwork b,12 hostPID b,13 hostIPC b,27 shareProcessNamespace b,14 securityContext core.v1.PodSecurityContext,15 imagePullSecrets *core.v1.LocalObjectReference,16 hostname s,17 subdomain s,18 affinity core.v1.Affinity,19 schedulerName s,22 tolerations *core.v1.Toleration,23 hostAliases *core.v1.HostAlias,24 priorityClassName s,25 priority i,26 dnsConfig core.v1.PodDNSConfig,28 readinessGates *core.v1.PodReadinessGate,29 runtimeClassName s,30 enableServiceLinks b,31 preemptionPolicy s,32 overhead %!Quantity,33 topologySpreadConstraints *core.v1.TopologySpreadConstraint,35 setHostnameAsFQDN b,36 os core.v1.PodOS,37 hostUsers b,38 schedulingGates *core.v1.PodSchedulingGate,39 resourceClaims *core.v1.PodResourceClaim,40 resources core.v1.ResourceRequirements,41 hostnameOverride s,43 schedulingGroup core.v1.PodSchedulingGroup
core.v1.PodStatus:17 observedGeneration i,1 phase s,2 conditions *core.v1.PodCondition,3 message s,4 reason s,11 nominatedNodeName s,5 hostIP s,16 hostIPs *core.v1.HostIP,6 podIP s,12 podIPs *core.v1.PodIP,7 startTime !Time,10 initContainerStatuses *core.v1.ContainerStatus,8 containerStatuses *core.v1.ContainerStatus,9 qosClass s,13 ephemeralContainerStatuses *core.v1.ContainerStatus,14 resize s,15 resourceClaimStatuses *core.v1.PodResourceClaimStatus,18 extendedResourceClaimStatus core.v1.PodExtendedResourceClaimStatus,19 allocatedResources %!Quantity,20 resources core.v1.ResourceRequirements,21 nodeAllocatableResourceClaimStatuses *core.v1.NodeAllocatableResourceClaimStatus
core.v1.PodStatusResult:1 metadata meta.v1.ObjectMeta,2 status core.v1.PodStatus
core.v1.PodTemplate:1 metadata meta.v1.ObjectMeta,2 template core.v1.PodTemplateSpec
core.v1.PodTemplateList:1 metadata meta.v1.ListMeta,2 items *core.v1.PodTemplate
core.v1.PodTemplateSpec:1 metadata meta.v1.ObjectMeta,2 spec core.v1.PodSpec
core.v1.PortStatus:1 port i,2 protocol s,3 error s
core.v1.PortworxVolumeSource:1 volumeID s,2 fsType s,3 readOnly b
core.v1.Preconditions:1 uid s
core.v1.PreferAvoidPodsEntry:1 podSignature core.v1.PodSignature,2 evictionTime !Time,3 reason s,4 message s
core.v1.PreferredSchedulingTerm:1 weight i,2 preference core.v1.NodeSelectorTerm
core.v1.Probe:1 ^handler core.v1.ProbeHandler,2 initialDelaySeconds i,3 timeoutSeconds i,4 periodSeconds i,5 successThreshold i,6 failureThreshold i,7 terminationGracePeriodSeconds i
core.v1.ProbeHandler:1 exec core.v1.ExecAction,2 httpGet core.v1.HTTPGetAction,3 tcpSocket core.v1.TCPSocketAction,4 grpc core.v1.GRPCAction
core.v1.ProjectedVolumeSource:1 sources *core.v1.VolumeProjection,2 defaultMode i
core.v1.QuobyteVolumeSource:1 registry s,2 volume s,3 readOnly b,4 user s,5 group s,6 tenant s
core.v1.RBDPersistentVolumeSource:1 monitors *s,2 image s,3 fsType s,4 pool s,5 user s,6 keyring s,7 secretRef core.v1.SecretReference,8 readOnly b
core.v1.RBDVolumeSource:1 monitors *s,2 image s,3 fsType s,4 pool s,5 user s,6 keyring s,7 secretRef core.v1.LocalObjectReference,8 readOnly b
core.v1.RangeAllocation:1 metadata meta.v1.ObjectMeta,2 range s,3 data y
core.v1.ReplicationController:1 metadata meta.v1.ObjectMeta,2 spec core.v1.ReplicationControllerSpec,3 status core.v1.ReplicationControllerStatus
core.v1.ReplicationControllerCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
core.v1.ReplicationControllerList:1 metadata meta.v1.ListMeta,2 items *core.v1.ReplicationController
core.v1.ReplicationControllerSpec:1 replicas i,4 minReadySeconds i,2 selector %s,3 template core.v1.PodTemplateSpec
core.v1.ReplicationControllerStatus:1 replicas i,2 fullyLabeledReplicas i,4 readyReplicas i,5 availableReplicas i,3 observedGeneration i,6 conditions *core.v1.ReplicationControllerCondition
core.v1.ResourceClaim:1 name s,2 request s
core.v1.ResourceFieldSelector:1 containerName s,2 resource s,3 divisor !Quantity
core.v1.ResourceHealth:1 resourceID s,2 health s,6 message s
core.v1.ResourceQuota:1 metadata meta.v1.ObjectMeta,2 spec core.v1.ResourceQuotaSpec,3 status core.v1.ResourceQuotaStatus
core.v1.ResourceQuotaList:1 metadata meta.v1.ListMeta,2 items *core.v1.ResourceQuota
core.v1.ResourceQuotaSpec:1 hard %!Quantity,2 scopes *s,3 scopeSelector core.v1.ScopeSelector
core.v1.ResourceQuotaStatus:1 hard %!Quantity,2 used %!Quantity
core.v1.ResourceRequirements:1 limits %!Quantity,2 requests %!Quantity,3 claims *core.v1.ResourceClaim
core.v1.ResourceStatus:1 name s,2 resources *core.v1.ResourceHealth
core.v1.SELinuxOptions:1 user s,2 role s,3 type s,4 level s
core.v1.ScaleIOPersistentVolumeSource:1 gateway s,2 system s,3 secretRef core.v1.SecretReference,4 sslEnabled b,5 protectionDomain s,6 storagePool s,7 storageMode s,8 volumeName s,9 fsType s,10 readOnly b
core.v1.ScaleIOVolumeSource:1 gateway s,2 system s,3 secretRef core.v1.LocalObjectReference,4 sslEnabled b,5 protectionDomain s,6 storagePool s,7 storageMode s,8 volumeName s,9 fsType s,10 readOnly b
core.v1.ScopeSelector:1 matchExpressions *core.v1.ScopedResourceSelectorRequirement
core.v1.ScopedResourceSelectorRequirement:1 scopeName s,2 operator s,3 values *s
core.v1.SeccompProfile:1 type s,2 localhostProfile s
core.v1.Secret:1 metadata meta.v1.ObjectMeta,5 immutable b,2 data %y,4 stringData %s,3 type s
core.v1.SecretEnvSource:1 ^localObjectReference core.v1.LocalObjectReference,2 optional b
core.v1.SecretKeySelector:1 ^localObjectReference core.v1.LocalObjectReference,2 key s,3 optional b
core.v1.SecretList:1 metadata meta.v1.ListMeta,2 items *core.v1.Secret
core.v1.SecretProjection:1 ^localObjectReference core.v1.LocalObjectReference,2 items *core.v1.KeyToPath,4 optional b
core.v1.SecretReference:1 name s,2 namespace s
core.v1.SecretVolumeSource:1 secretName s,2 items *core.v1.KeyToPath,3 defaultMode i,4 optional b
core.v1.SecurityContext:1 capabilities core.v1.Capabilities,2 privileged b,3 seLinuxOptions core.v1.SELinuxOptions,10 windowsOptions core.v1.WindowsSecurityContextOptions,4 runAsUser i,8 runAsGroup i,5 runAsNonRoot b,6 readOnlyRootFilesystem b,7 allowPrivilegeEscalation b,9 procMount s,11 seccompProfile core.v1.SeccompProfile,12 appArmorProfile core.v1.AppArmorProfile
core.v1.SerializedReference:1 reference core.v1.ObjectReference
core.v1.Service:1 metadata meta.v1.ObjectMeta,2 spec core.v1.ServiceSpec,3 status core.v1.ServiceStatus
core.v1.ServiceAccount:1 metadata meta.v1.ObjectMeta,2 secrets *core.v1.ObjectReference,3 imagePullSecrets *core.v1.LocalObjectReference,4 automountServiceAccountToken b
core.v1.ServiceAccountList:1 metadata meta.v1.ListMeta,2 items *core.v1.ServiceAccount
core.v1.ServiceAccountTokenProjection:1 audience s,2 expirationSeconds i,3 path s
core.v1.ServiceList:1 metadata meta.v1.ListMeta,2 items *core.v1.Service
core.v1.ServicePort:1 name s,2 protocol s,6 appProtocol s,3 port i,4 targetPort !IntOrString,5 nodePort i
core.v1.ServiceProxyOptions:1 path s
core.v1.ServiceSpec:1 ports *core.v1.ServicePort,2 selector %s,3 clusterIP s,18 clusterIPs *s,4 type s,5 externalIPs *s,7 sessionAffinity s,8 loadBalancerIP s,9 loadBalancerSourceRanges *s,10 externalName s,11 externalTrafficPolicy s,12 healthCheckNodePort i,13 publishNotReadyAddresses b,14 sessionAffinityConfig core.v1.SessionAffinityConfig,19 ipFamilies *s,17 ipFamilyPolicy s,20 allocateLoadBalancerNodePorts b,21 loadBalancerClass s,22 internalTrafficPolicy s,23 trafficDistribution s
core.v1.ServiceStatus:1 loadBalancer core.v1.LoadBalancerStatus,2 conditions *meta.v1.Condition
core.v1.SessionAffinityConfig:1 clientIP core.v1.ClientIPConfig
core.v1.SleepAction:1 seconds i
core.v1.StorageOSPersistentVolumeSource:1 volumeName s,2 volumeNamespace s,3 fsType s,4 readOnly b,5 secretRef core.v1.ObjectReference
core.v1.StorageOSVolumeSource:1 volumeName s,2 volumeNamespace s,3 fsType s,4 readOnly b,5 secretRef core.v1.LocalObjectReference
core.v1.Sysctl:1 name s,2 value s
core.v1.TCPSocketAction:1 port !IntOrString,2 host s
core.v1.Taint:1 key s,2 value s,3 effect s,4 timeAdded !Time
core.v1.Toleration:1 key s,2 operator s,3 value s,4 effect s,5 tolerationSeconds i
core.v1.TopologySelectorLabelRequirement:1 key s,2 values *s
core.v1.TopologySelectorTerm:1 matchLabelExpressions *core.v1.TopologySelectorLabelRequirement
core.v1.TopologySpreadConstraint:1 maxSkew i,2 topologyKey s,3 whenUnsatisfiable s,4 labelSelector meta.v1.LabelSelector,5 minDomains i,6 nodeAffinityPolicy s,7 nodeTaintsPolicy s,8 matchLabelKeys *s
core.v1.TypedLocalObjectReference:1 apiGroup s,2 kind s,3 name s
core.v1.TypedObjectReference:1 apiGroup s,2 kind s,3 name s,4 namespace s
core.v1.Volume:1 name s,2 ^volumeSource core.v1.VolumeSource
core.v1.VolumeDevice:1 name s,2 devicePath s
core.v1.VolumeMount:1 name s,2 readOnly b,7 recursiveReadOnly s,3 mountPath s,4 subPath s,5 mountPropagation s,6 subPathExpr s
core.v1.VolumeMountStatus:1 name s,2 mountPath s,3 readOnly b,4 recursiveReadOnly s,5 volumeStatus core.v1.VolumeStatus
core.v1.VolumeNodeAffinity:1 required core.v1.NodeSelector
core.v1.VolumeProjection:1 secret core.v1.SecretProjection,2 downwardAPI core.v1.DownwardAPIProjection,3 configMap core.v1.ConfigMapProjection,4 serviceAccountToken core.v1.ServiceAccountTokenProjection,5 clusterTrustBundle core.v1.ClusterTrustBundleProjection,6 podCertificate core.v1.PodCertificateProjection
core.v1.VolumeResourceRequirements:1 limits %!Quantity,2 requests %!Quantity
core.v1.VolumeSource:1 hostPath core.v1.HostPathVolumeSource,2 emptyDir core.v1.EmptyDirVolumeSource,3 gcePersistentDisk core.v1.GCEPersistentDiskVolumeSource,4 awsElasticBlockStore core.v1.AWSElasticBlockStoreVolumeSource,5 gitRepo core.v1.GitRepoVolumeSource,6 secret core.v1.SecretVolumeSource,7 nfs core.v1.NFSVolumeSource,8 iscsi core.v1.ISCSIVolumeSource,9 glusterfs core.v1.GlusterfsVolumeSource,10 persistentVolumeClaim core.v1.PersistentVolumeClaimVolumeSource,11 rbd core.v1.RBDVolumeSource,12 flexVolume core.v1.FlexVolumeSource,13 cinder core.v1.CinderVolumeSource,14 cephfs core.v1.CephFSVolumeSource,15 flocker core.v1.FlockerVolumeSource,16 downwardAPI core.v1.DownwardAPIVolumeSource,17 fc core.v1.FCVolumeSource,18 azureFile core.v1.AzureFileVolumeSource,19 configMap core.v1.ConfigMapVolumeSource,20 vsphereVolume core.v1.VsphereVirtualDiskVolumeSource,21 quobyte core.v1.QuobyteVolumeSource,22 azureDisk core.v1.AzureDiskVolumeSource,23 photonPersistentDisk core.v1.PhotonPersistentDiskVolumeSource,26 projected core.v1.ProjectedVolumeSource,24 portworxVolume core.v1.PortworxVolumeSource,25 scaleIO core.v1.ScaleIOVolumeSource,27 storageos core.v1.StorageOSVolumeSource,28 csi core.v1.CSIVolumeSource,29 ephemeral core.v1.EphemeralVolumeSource,30 image core.v1.ImageVolumeSource
core.v1.VolumeStatus:1 image core.v1.ImageVolumeStatus
core.v1.VsphereVirtualDiskVolumeSource:1 volumePath s,2 fsType s,3 storagePolicyName s,4 storagePolicyID s
core.v1.WeightedPodAffinityTerm:1 weight i,2 podAffinityTerm core.v1.PodAffinityTerm
core.v1.WindowsSecurityContextOptions:1 gmsaCredentialSpecName s,2 gmsaCredentialSpec s,3 runAsUserName s,4 hostProcess b
discovery.v1.Endpoint:1 addresses *s,2 conditions discovery.v1.EndpointConditions,3 hostname s,4 targetRef core.v1.ObjectReference,5 deprecatedTopology %s,6 nodeName s,7 zone s,8 hints discovery.v1.EndpointHints
discovery.v1.EndpointConditions:1 ready b,2 serving b,3 terminating b
discovery.v1.EndpointHints:1 forZones *discovery.v1.ForZone,2 forNodes *discovery.v1.ForNode
discovery.v1.EndpointPort:1 name s,2 protocol s,3 port i,4 appProtocol s
discovery.v1.EndpointSlice:1 metadata meta.v1.ObjectMeta,4 addressType s,2 endpoints *discovery.v1.Endpoint,3 ports *discovery.v1.EndpointPort
discovery.v1.EndpointSliceList:1 metadata meta.v1.ListMeta,2 items *discovery.v1.EndpointSlice
discovery.v1.ForNode:1 name s
discovery.v1.ForZone:1 name s
events.v1.Event:1 metadata meta.v1.ObjectMeta,2 eventTime !MicroTime,3 series events.v1.EventSeries,4 reportingController s,5 reportingInstance s,6 action s,7 reason s,8 regarding core.v1.ObjectReference,9 related core.v1.ObjectReference,10 note s,11 type s,12 deprecatedSource core.v1.EventSource,13 deprecatedFirstTimestamp !Time,14 deprecatedLastTimestamp !Time,15 deprecatedCount i
events.v1.EventList:1 metadata meta.v1.ListMeta,2 items *events.v1.Event
events.v1.EventSeries:1 count i,2 lastObservedTime !MicroTime
flowcontrol.v1.ExemptPriorityLevelConfiguration:1 nominalConcurrencyShares i,2 lendablePercent i
flowcontrol.v1.FlowDistinguisherMethod:1 type s
flowcontrol.v1.FlowSchema:1 metadata meta.v1.ObjectMeta,2 spec flowcontrol.v1.FlowSchemaSpec,3 status flowcontrol.v1.FlowSchemaStatus
flowcontrol.v1.FlowSchemaCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
flowcontrol.v1.FlowSchemaList:1 metadata meta.v1.ListMeta,2 items *flowcontrol.v1.FlowSchema
flowcontrol.v1.FlowSchemaSpec:1 priorityLevelConfiguration flowcontrol.v1.PriorityLevelConfigurationReference,2 matchingPrecedence i,3 distinguisherMethod flowcontrol.v1.FlowDistinguisherMethod,4 rules *flowcontrol.v1.PolicyRulesWithSubjects
flowcontrol.v1.FlowSchemaStatus:1 conditions *flowcontrol.v1.FlowSchemaCondition
flowcontrol.v1.GroupSubject:1 name s
flowcontrol.v1.LimitResponse:1 type s,2 queuing flowcontrol.v1.QueuingConfiguration
flowcontrol.v1.LimitedPriorityLevelConfiguration:1 nominalConcurrencyShares i,2 limitResponse flowcontrol.v1.LimitResponse,3 lendablePercent i,4 borrowingLimitPercent i
flowcontrol.v1.NonResourcePolicyRule:1 verbs *s,6 nonResourceURLs *s
flowcontrol.v1.PolicyRulesWithSubjects:1 subjects *flowcontrol.v1.Subject,2 resourceRules *flowcontrol.v1.ResourcePolicyRule,3 nonResourceRules *flowcontrol.v1.NonResourcePolicyRule
flowcontrol.v1.PriorityLevelConfiguration:1 metadata meta.v1.ObjectMeta,2 spec flowcontrol.v1.PriorityLevelConfigurationSpec,3 status flowcontrol.v1.PriorityLevelConfigurationStatus
flowcontrol.v1.PriorityLevelConfigurationCondition:1 type s,2 status s,3 lastTransitionTime !Time,4 reason s,5 message s
flowcontrol.v1.PriorityLevelConfigurationList:1 metadata meta.v1.ListMeta,2 items *flowcontrol.v1.PriorityLevelConfiguration
flowcontrol.v1.PriorityLevelConfigurationReference:1 name s
flowcontrol.v1.PriorityLevelConfigurationSpec:1 type s,2 limited flowcontrol.v1.LimitedPriorityLevelConfiguration,3 exempt flowcontrol.v1.ExemptPriorityLevelConfiguration
flowcontrol.v1.PriorityLevelConfigurationStatus:1 conditions *flowcontrol.v1.PriorityLevelConfigurationCondition
flowcontrol.v1.QueuingConfiguration:1 queues i,2 handSize i,3 queueLengthLimit i
flowcontrol.v1.ResourcePolicyRule:1 verbs *s,2 apiGroups *s,3 resources *s,4 clusterScope b,5 namespaces *s
flowcontrol.v1.ServiceAccountSubject:1 namespace s,2 name s
flowcontrol.v1.Subject:1 kind s,2 user flowcontrol.v1.UserSubject,3 group flowcontrol.v1.GroupSubject,4 serviceAccount flowcontrol.v1.ServiceAccountSubject
flowcontrol.v1.UserSubject:1 name s
meta.v1.APIGroup:1 name s,2 versions *meta.v1.GroupVersionForDiscovery,3 preferredVersion meta.v1.GroupVersionForDiscovery,4 serverAddressByClientCIDRs *meta.v1.ServerAddressByClientCIDR
meta.v1.APIGroupList:1 groups *meta.v1.APIGroup
meta.v1.APIResource:1 name s,6 singularName s,2 namespaced b,8 group s,9 version s,3 kind s,4 verbs !Verbs,5 shortNames *s,7 categories *s,10 storageVersionHash s
meta.v1.APIResourceList:1 groupVersion s,2 resources *meta.v1.APIResource
meta.v1.APIVersions:1 versions *s,2 serverAddressByClientCIDRs *meta.v1.ServerAddressByClientCIDR
meta.v1.ApplyOptions:1 dryRun *s,2 force b,3 fieldManager s
meta.v1.Condition:1 type s,2 status s,3 observedGeneration i,4 lastTransitionTime !Time,5 reason s,6 message s
meta.v1.CreateOptions:1 dryRun *s,3 fieldManager s,4 fieldValidation s
meta.v1.DeleteOptions:1 gracePeriodSeconds i,2 preconditions meta.v1.Preconditions,3 orphanDependents b,4 propagationPolicy s,5 dryRun *s,6 ignoreStoreReadErrorWithClusterBreakingPotential b
meta.v1.FieldSelectorRequirement:1 key s,2 operator s,3 values *s
meta.v1.GetOptions:1 resourceVersion s
meta.v1.GroupKind:1 group s,2 kind s
meta.v1.GroupResource:1 group s,2 resource s
meta.v1.GroupVersion:1 group s,2 version s
meta.v1.GroupVersionForDiscovery:1 groupVersion s,2 version s
meta.v1.GroupVersionKind:1 group s,2 version s,3 kind s
meta.v1.GroupVersionResource:1 group s,2 version s,3 resource s
meta.v1.LabelSelector:1 matchLabels %s,2 matchExpressions *meta.v1.LabelSelectorRequirement
meta.v1.LabelSelectorRequirement:1 key s,2 operator s,3 values *s
meta.v1.List:1 metadata meta.v1.ListMeta,2 items *!RawExtension
meta.v1.ListMeta:1 selfLink s,2 resourceVersion s,3 continue s,4 remainingItemCount i,5 shardInfo meta.v1.ShardInfo
meta.v1.ListOptions:1 labelSelector s,2 fieldSelector s,3 watch b,9 allowWatchBookmarks b,4 resourceVersion s,10 resourceVersionMatch s,5 timeoutSeconds i,7 limit i,8 continue s,11 sendInitialEvents b,15 shardSelector s
meta.v1.ManagedFieldsEntry:1 manager s,2 operation s,3 apiVersion s,4 time !Time,6 fieldsType s,7 fieldsV1 !FieldsV1,8 subresource s
meta.v1.ObjectMeta:1 name s,2 generateName s,3 namespace s,4 selfLink s,5 uid s,6 resourceVersion s,7 generation i,8 creationTimestamp !Time,9 deletionTimestamp !Time,10 deletionGracePeriodSeconds i,11 labels %s,12 annotations %s,13 ownerReferences *meta.v1.OwnerReference,14 finalizers *s,17 managedFields *meta.v1.ManagedFieldsEntry
meta.v1.OwnerReference:5 apiVersion s,1 kind s,3 name s,4 uid s,6 controller b,7 blockOwnerDeletion b
meta.v1.PartialObjectMetadata:1 metadata meta.v1.ObjectMeta
meta.v1.PartialObjectMetadataList:1 metadata meta.v1.ListMeta,2 items *meta.v1.PartialObjectMetadata
meta.v1.Patch:
meta.v1.PatchOptions:1 dryRun *s,2 force b,3 fieldManager s,4 fieldValidation s
meta.v1.Preconditions:1 uid s,2 resourceVersion s
meta.v1.RootPaths:1 paths *s
meta.v1.ServerAddressByClientCIDR:1 clientCIDR s,2 serverAddress s
meta.v1.ShardInfo:1 selector s
meta.v1.Status:1 metadata meta.v1.ListMeta,2 status s,3 message s,4 reason s,5 details meta.v1.StatusDetails,6 code i
meta.v1.StatusCause:1 reason s,2 message s,3 field s
meta.v1.StatusDetails:1 name s,2 group s,3 kind s,6 uid s,4 causes *meta.v1.StatusCause,5 retryAfterSeconds i
meta.v1.TableOptions:1 includeObject s
meta.v1.Timestamp:1 seconds i,2 nanos i
meta.v1.TypeMeta:1 kind s,2 apiVersion s
meta.v1.UpdateOptions:1 dryRun *s,2 fieldManager s,3 fieldValidation s
meta.v1.WatchEvent:1 type s,2 object !RawExtension
networking.v1.HTTPIngressPath:1 path s,3 pathType s,2 backend networking.v1.IngressBackend
networking.v1.HTTPIngressRuleValue:1 paths *networking.v1.HTTPIngressPath
networking.v1.IPAddress:1 metadata meta.v1.ObjectMeta,2 spec networking.v1.IPAddressSpec
networking.v1.IPAddressList:1 metadata meta.v1.ListMeta,2 items *networking.v1.IPAddress
networking.v1.IPAddressSpec:1 parentRef networking.v1.ParentReference
networking.v1.IPBlock:1 cidr s,2 except *s
networking.v1.Ingress:1 metadata meta.v1.ObjectMeta,2 spec networking.v1.IngressSpec,3 status networking.v1.IngressStatus
networking.v1.IngressBackend:4 service networking.v1.IngressServiceBackend,3 resource core.v1.TypedLocalObjectReference
networking.v1.IngressClass:1 metadata meta.v1.ObjectMeta,2 spec networking.v1.IngressClassSpec
networking.v1.IngressClassList:1 metadata meta.v1.ListMeta,2 items *networking.v1.IngressClass
networking.v1.IngressClassParametersReference:1 apiGroup s,2 kind s,3 name s,4 scope s,5 namespace s
networking.v1.IngressClassSpec:1 controller s,2 parameters networking.v1.IngressClassParametersReference
networking.v1.IngressList:1 metadata meta.v1.ListMeta,2 items *networking.v1.Ingress
networking.v1.IngressLoadBalancerIngress:1 ip s,2 hostname s,4 ports *networking.v1.IngressPortStatus
networking.v1.IngressLoadBalancerStatus:1 ingress *networking.v1.IngressLoadBalancerIngress
networking.v1.IngressPortStatus:1 port i,2 protocol s,3 error s
networking.v1.IngressRule:1 host s,2 ^ingressRuleValue networking.v1.IngressRuleValue
networking.v1.IngressRuleValue:1 http networking.v1.HTTPIngressRuleValue
networking.v1.IngressServiceBackend:1 name s,2 port networking.v1.ServiceBackendPort
networking.v1.IngressSpec:4 ingressClassName s,1 defaultBackend networking.v1.IngressBackend,2 tls *networking.v1.IngressTLS,3 rules *networking.v1.IngressRule
networking.v1.IngressStatus:1 loadBalancer networking.v1.IngressLoadBalancerStatus
networking.v1.IngressTLS:1 hosts *s,2 secretName s
networking.v1.NetworkPolicy:1 metadata meta.v1.ObjectMeta,2 spec networking.v1.NetworkPolicySpec
networking.v1.NetworkPolicyEgressRule:1 ports *networking.v1.NetworkPolicyPort,2 to *networking.v1.NetworkPolicyPeer
networking.v1.NetworkPolicyIngressRule:1 ports *networking.v1.NetworkPolicyPort,2 from *networking.v1.NetworkPolicyPeer
networking.v1.NetworkPolicyList:1 metadata meta.v1.ListMeta,2 items *networking.v1.NetworkPolicy
networking.v1.NetworkPolicyPeer:1 podSelector meta.v1.LabelSelector,2 namespaceSelector meta.v1.LabelSelector,3 ipBlock networking.v1.IPBlock
networking.v1.NetworkPolicyPort:1 protocol s,2 port !IntOrString,3 endPort i
networking.v1.NetworkPolicySpec:1 podSelector meta.v1.LabelSelector,2 ingress *networking.v1.NetworkPolicyIngressRule,3 egress *networking.v1.NetworkPolicyEgressRule,4 policyTypes *s
networking.v1.ParentReference:1 group s,2 resource s,3 namespace s,4 name s
networking.v1.ServiceBackendPort:1 name s,2 number i
networking.v1.ServiceCIDR:1 metadata meta.v1.ObjectMeta,2 spec networking.v1.ServiceCIDRSpec,3 status networking.v1.ServiceCIDRStatus
networking.v1.ServiceCIDRList:1 metadata meta.v1.ListMeta,2 items *networking.v1.ServiceCIDR
networking.v1.ServiceCIDRSpec:1 cidrs *s
networking.v1.ServiceCIDRStatus:1 conditions *meta.v1.Condition
node.v1.Overhead:1 podFixed %!Quantity
node.v1.RuntimeClass:1 metadata meta.v1.ObjectMeta,2 handler s,3 overhead node.v1.Overhead,4 scheduling node.v1.Scheduling
node.v1.RuntimeClassList:1 metadata meta.v1.ListMeta,2 items *node.v1.RuntimeClass
node.v1.Scheduling:1 nodeSelector %s,2 tolerations *core.v1.Toleration
policy.v1.Eviction:1 metadata meta.v1.ObjectMeta,2 deleteOptions meta.v1.DeleteOptions
policy.v1.PodDisruptionBudget:1 metadata meta.v1.ObjectMeta,2 spec policy.v1.PodDisruptionBudgetSpec,3 status policy.v1.PodDisruptionBudgetStatus
policy.v1.PodDisruptionBudgetList:1 metadata meta.v1.ListMeta,2 items *policy.v1.PodDisruptionBudget
policy.v1.PodDisruptionBudgetSpec:1 minAvailable !IntOrString,2 selector meta.v1.LabelSelector,3 maxUnavailable !IntOrString,4 unhealthyPodEvictionPolicy s
policy.v1.PodDisruptionBudgetStatus:1 observedGeneration i,2 disruptedPods %!Time,3 disruptionsAllowed i,4 currentHealthy i,5 desiredHealthy i,6 expectedPods i,7 conditions *meta.v1.Condition
rbac.v1.AggregationRule:1 clusterRoleSelectors *meta.v1.LabelSelector
rbac.v1.ClusterRole:1 metadata meta.v1.ObjectMeta,2 rules *rbac.v1.PolicyRule,3 aggregationRule rbac.v1.AggregationRule
rbac.v1.ClusterRoleBinding:1 metadata meta.v1.ObjectMeta,2 subjects *rbac.v1.Subject,3 roleRef rbac.v1.RoleRef
rbac.v1.ClusterRoleBindingList:1 metadata meta.v1.ListMeta,2 items *rbac.v1.ClusterRoleBinding
rbac.v1.ClusterRoleList:1 metadata meta.v1.ListMeta,2 items *rbac.v1.ClusterRole
rbac.v1.PolicyRule:1 verbs *s,2 apiGroups *s,3 resources *s,4 resourceNames *s,5 nonResourceURLs *s
rbac.v1.Role:1 metadata meta.v1.ObjectMeta,2 rules *rbac.v1.PolicyRule
rbac.v1.RoleBinding:1 metadata meta.v1.ObjectMeta,2 subjects *rbac.v1.Subject,3 roleRef rbac.v1.RoleRef
rbac.v1.RoleBindingList:1 metadata meta.v1.ListMeta,2 items *rbac.v1.RoleBinding
rbac.v1.RoleList:1 metadata meta.v1.ListMeta,2 items *rbac.v1.Role
rbac.v1.RoleRef:1 apiGroup s,2 kind s,3 name s
rbac.v1.Subject:1 kind s,2 apiGroup s,3 name s,4 namespace s
resource.v1.AllocatedDeviceStatus:1 driver s,2 pool s,3 device s,7 shareID s,4 conditions *meta.v1.Condition,5 data !RawExtension,6 networkData resource.v1.NetworkDeviceData
resource.v1.AllocationResult:1 devices resource.v1.DeviceAllocationResult,3 nodeSelector core.v1.NodeSelector,5 allocationTimestamp !Time
resource.v1.CELDeviceSelector:1 expression s
resource.v1.CapacityRequestPolicy:1 default !Quantity,3 validValues *!Quantity,4 validRange resource.v1.CapacityRequestPolicyRange
resource.v1.CapacityRequestPolicyRange:1 min !Quantity,2 max !Quantity,3 step !Quantity
resource.v1.CapacityRequirements:1 requests %!Quantity
resource.v1.Counter:1 value !Quantity
resource.v1.CounterSet:1 name s,2 counters %resource.v1.Counter
resource.v1.Device:1 name s,2 attributes %resource.v1.DeviceAttribute,3 capacity %resource.v1.DeviceCapacity,4 consumesCounters *resource.v1.DeviceCounterConsumption,5 nodeName s,6 nodeSelector core.v1.NodeSelector,7 allNodes b,8 taints *resource.v1.DeviceTaint,9 bindsToNode b,10 bindingConditions *s,11 bindingFailureConditions *s,12 allowMultipleAllocations b,13 nodeAllocatableResourceMappings %resource.v1.NodeAllocatableResourceMapping
resource.v1.DeviceAllocationConfiguration:1 source s,2 requests *s,3 ^deviceConfiguration resource.v1.DeviceConfiguration
resource.v1.DeviceAllocationResult:1 results *resource.v1.DeviceRequestAllocationResult,2 config *resource.v1.DeviceAllocationConfiguration
resource.v1.DeviceAttribute:2 int i,3 bool b,4 string s,5 version s,6 ints *i,7 bools *b,8 strings *s,9 versions *s
resource.v1.DeviceCapacity:1 value !Quantity,2 requestPolicy resource.v1.CapacityRequestPolicy
resource.v1.DeviceClaim:1 requests *resource.v1.DeviceRequest,2 constraints *resource.v1.DeviceConstraint,3 config *resource.v1.DeviceClaimConfiguration
resource.v1.DeviceClaimConfiguration:1 requests *s,2 ^deviceConfiguration resource.v1.DeviceConfiguration
resource.v1.DeviceClass:1 metadata meta.v1.ObjectMeta,2 spec resource.v1.DeviceClassSpec
resource.v1.DeviceClassConfiguration:1 ^deviceConfiguration resource.v1.DeviceConfiguration
resource.v1.DeviceClassList:1 metadata meta.v1.ListMeta,2 items *resource.v1.DeviceClass
resource.v1.DeviceClassSpec:1 selectors *resource.v1.DeviceSelector,2 config *resource.v1.DeviceClassConfiguration,4 extendedResourceName s
resource.v1.DeviceConfiguration:1 opaque resource.v1.OpaqueDeviceConfiguration
resource.v1.DeviceConstraint:1 requests *s,2 matchAttribute s,3 distinctAttribute s
resource.v1.DeviceCounterConsumption:1 counterSet s,2 counters %resource.v1.Counter
resource.v1.DeviceRequest:1 name s,2 exactly resource.v1.ExactDeviceRequest,3 firstAvailable *resource.v1.DeviceSubRequest
resource.v1.DeviceRequestAllocationResult:1 request s,2 driver s,3 pool s,4 device s,5 adminAccess b,6 tolerations *resource.v1.DeviceToleration,7 bindingConditions *s,8 bindingFailureConditions *s,9 shareID s,10 consumedCapacity %!Quantity
resource.v1.DeviceSelector:1 cel resource.v1.CELDeviceSelector
resource.v1.DeviceSubRequest:1 name s,2 deviceClassName s,3 selectors *resource.v1.DeviceSelector,4 allocationMode s,5 count i,6 tolerations *resource.v1.DeviceToleration,7 capacity resource.v1.CapacityRequirements
resource.v1.DeviceTaint:1 key s,2 value s,3 effect s,4 timeAdded !Time
resource.v1.DeviceToleration:1 key s,2 operator s,3 value s,4 effect s,5 tolerationSeconds i
resource.v1.ExactDeviceRequest:1 deviceClassName s,2 selectors *resource.v1.DeviceSelector,3 allocationMode s,4 count i,5 adminAccess b,6 tolerations *resource.v1.DeviceToleration,7 capacity resource.v1.CapacityRequirements
resource.v1.NetworkDeviceData:1 interfaceName s,2 ips *s,3 hardwareAddress s
resource.v1.NodeAllocatableResourceMapping:1 capacityKey s,2 allocationMultiplier !Quantity
resource.v1.OpaqueDeviceConfiguration:1 driver s,2 parameters !RawExtension
resource.v1.ResourceClaim:1 metadata meta.v1.ObjectMeta,2 spec resource.v1.ResourceClaimSpec,3 status resource.v1.ResourceClaimStatus
resource.v1.ResourceClaimConsumerReference:1 apiGroup s,3 resource s,4 name s,5 uid s
resource.v1.ResourceClaimList:1 metadata meta.v1.ListMeta,2 items *resource.v1.ResourceClaim
resource.v1.ResourceClaimSpec:1 devices resource.v1.DeviceClaim
resource.v1.ResourceClaimStatus:1 allocation resource.v1.AllocationResult,2 reservedFor *resource.v1.ResourceClaimConsumerReference,4 devices *resource.v1.AllocatedDeviceStatus
resource.v1.ResourceClaimTemplate:1 metadata meta.v1.ObjectMeta,2 spec resource.v1.ResourceClaimTemplateSpec
resource.v1.ResourceClaimTemplateList:1 metadata meta.v1.ListMeta,2 items *resource.v1.ResourceClaimTemplate
resource.v1.ResourceClaimTemplateSpec:1 metadata meta.v1.ObjectMeta,2 spec resource.v1.ResourceClaimSpec
resource.v1.ResourcePool:1 name s,2 generation i,3 resourceSliceCount i
resource.v1.ResourceSlice:1 metadata meta.v1.ObjectMeta,2 spec resource.v1.ResourceSliceSpec
resource.v1.ResourceSliceList:1 metadata meta.v1.ListMeta,2 items *resource.v1.ResourceSlice
resource.v1.ResourceSliceSpec:1 driver s,2 pool resource.v1.ResourcePool,3 nodeName s,4 nodeSelector core.v1.NodeSelector,5 allNodes b,6 devices *resource.v1.Device,7 perDeviceNodeSelection b,8 sharedCounters *resource.v1.CounterSet
scheduling.v1.PriorityClass:1 metadata meta.v1.ObjectMeta,2 value i,3 globalDefault b,4 description s,5 preemptionPolicy s
scheduling.v1.PriorityClassList:1 metadata meta.v1.ListMeta,2 items *scheduling.v1.PriorityClass
storage.v1.CSIDriver:1 metadata meta.v1.ObjectMeta,2 spec storage.v1.CSIDriverSpec
storage.v1.CSIDriverList:1 metadata meta.v1.ListMeta,2 items *storage.v1.CSIDriver
storage.v1.CSIDriverSpec:1 attachRequired b,2 podInfoOnMount b,3 volumeLifecycleModes *s,4 storageCapacity b,5 fsGroupPolicy s,6 tokenRequests *storage.v1.TokenRequest,7 requiresRepublish b,8 seLinuxMount b,9 nodeAllocatableUpdatePeriodSeconds i,10 serviceAccountTokenInSecrets b,11 preventPodSchedulingIfMissing b
storage.v1.CSINode:1 metadata meta.v1.ObjectMeta,2 spec storage.v1.CSINodeSpec
storage.v1.CSINodeDriver:1 name s,2 nodeID s,3 topologyKeys *s,4 allocatable storage.v1.VolumeNodeResources
storage.v1.CSINodeList:1 metadata meta.v1.ListMeta,2 items *storage.v1.CSINode
storage.v1.CSINodeSpec:1 drivers *storage.v1.CSINodeDriver
storage.v1.CSIStorageCapacity:1 metadata meta.v1.ObjectMeta,2 nodeTopology meta.v1.LabelSelector,3 storageClassName s,4 capacity !Quantity,5 maximumVolumeSize !Quantity
storage.v1.CSIStorageCapacityList:1 metadata meta.v1.ListMeta,2 items *storage.v1.CSIStorageCapacity
storage.v1.StorageClass:1 metadata meta.v1.ObjectMeta,2 provisioner s,3 parameters %s,4 reclaimPolicy s,5 mountOptions *s,6 allowVolumeExpansion b,7 volumeBindingMode s,8 allowedTopologies *core.v1.TopologySelectorTerm
storage.v1.StorageClassList:1 metadata meta.v1.ListMeta,2 items *storage.v1.StorageClass
storage.v1.TokenRequest:1 audience s,2 expirationSeconds i
storage.v1.VolumeAttachment:1 metadata meta.v1.ObjectMeta,2 spec storage.v1.VolumeAttachmentSpec,3 status storage.v1.VolumeAttachmentStatus
storage.v1.VolumeAttachmentList:1 metadata meta.v1.ListMeta,2 items *storage.v1.VolumeAttachment
storage.v1.VolumeAttachmentSource:1 persistentVolumeName s,2 inlineVolumeSpec core.v1.PersistentVolumeSpec
storage.v1.VolumeAttachmentSpec:1 attacher s,2 source storage.v1.VolumeAttachmentSource,3 nodeName s
storage.v1.VolumeAttachmentStatus:1 attached b,2 attachmentMetadata %s,3 attachError storage.v1.VolumeError,4 detachError storage.v1.VolumeError
storage.v1.VolumeAttributesClass:1 metadata meta.v1.ObjectMeta,2 driverName s,3 parameters %s
storage.v1.VolumeAttributesClassList:1 metadata meta.v1.ListMeta,2 items *storage.v1.VolumeAttributesClass
storage.v1.VolumeError:1 time !Time,2 message s,3 errorCode i
storage.v1.VolumeNodeResources:1 count i`;
