import type { StoredObjects } from "../resource/stored-objects.ts";
import type { AccessDecision, AccessRequest, Authorize } from "./access.ts";
import { nodeRoles } from "./bootstrap/node-roles.ts";
import { nodeObjects, type RelatedKind } from "./node-objects.ts";
import { ruleAllows } from "./policy-rule.ts";
import type { Rbac } from "./rbac.ts";
import type { UserInfo } from "./user.ts";

type ResourceAccess = Exclude<AccessRequest, { readonly path: string }>;

/** Decides on the access of one node to objects of one resource. */
type NodeRule = (nodeName: string, access: ResourceAccess) => AccessDecision;

const allowed: AccessDecision = { allowed: true, reason: "" };
const noOpinion: AccessDecision = { allowed: false, reason: "" };
const nodesGroup = "system:nodes";
const nodePrefix = "system:node:";
const leaseNamespace = "kube-node-lease";

/**
 * Adds the access of nodes to that of RBAC: a user `system:node:NAME` in the group `system:nodes` may read the objects
 * that the pods of this node need, and write its Node, its Lease and the status of pods.
 */
export function withNodeAccess(rbac: Rbac, read: StoredObjects): Rbac {
  const authorizeNode = nodeAuthorizer(read);
  return {
    ...rbac,
    authorize(user, request) {
      const ofNode = authorizeNode(user, request);
      if (ofNode.allowed) return ofNode;
      const ofRoles = rbac.authorize(user, request);
      if (ofRoles.allowed || ofNode.reason === "") return ofRoles;
      const reason = [ofNode.reason, ofRoles.reason].filter((text) => text !== "").join("\n");
      return { allowed: false, reason };
    },
    rulesOf(user, namespace) {
      const rules = rbac.rulesOf(user, namespace);
      if (nodeNameOf(user) === undefined) return rules;
      const evaluationError = "node authorizer does not support user rule resolution";
      return { ...rules, incomplete: true, evaluationError };
    },
  };
}

/** Undefined if the user is no node. */
function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  const isNode = username.startsWith(nodePrefix) && groups.includes(nodesGroup);
  return isNode ? username.slice(nodePrefix.length) : undefined;
}

function nodeAuthorizer(read: StoredObjects): Authorize {
  const rules = nodeRules(read);
  const common = nodeRoles["system:node"] ?? [];
  return (user, request) => {
    const nodeName = nodeNameOf(user);
    if (nodeName === undefined) return noOpinion;
    if (nodeName === "") return refusal(`unknown node for user ${JSON.stringify(user.username)}`);
    if (!("path" in request)) {
      const { group, resource } = request;
      const rule = rules[group === "" ? resource : `${resource}.${group}`];
      if (rule !== undefined) return rule(nodeName, request);
    }
    return common.some((one) => ruleAllows(one, request)) ? allowed : noOpinion;
  };
}

function refusal(reason: string): AccessDecision {
  return { allowed: false, reason };
}

/** Decides by whether a pod of the node needs the object. */
type RelatedRule = (nodeName: string, kind: RelatedKind, access: ResourceAccess) => AccessDecision;

function nodeRules(read: StoredObjects): Readonly<Record<string, NodeRule>> {
  const objects = nodeObjects(read);
  const related: RelatedRule = (nodeName, kind, { namespace = "", name }) => {
    if (name === undefined) return refusal("No Object name found");
    return objects.isRelated(nodeName, kind, { namespace, name })
      ? allowed
      : refusal(`no relationship found between node '${nodeName}' and this object`);
  };
  return {
    secrets: readRule(related, "secrets"),
    configmaps: readRule(related, "configmaps"),
    persistentvolumes: getRule(related, "persistentvolumes"),
    "resourceclaims.resource.k8s.io": getRule(related, "resourceclaims"),
    "volumeattachments.storage.k8s.io": getRule(related, "volumeattachments"),
    persistentvolumeclaims: claimRule(related),
    serviceaccounts: accountRule(related),
    "leases.coordination.k8s.io": leaseRule,
    "csinodes.storage.k8s.io": csiNodeRule,
    "resourceslices.resource.k8s.io": sliceRule(related),
    nodes: ownNodeRule,
    pods: podRule(related),
  };
}

function readRule(related: RelatedRule, kind: RelatedKind): NodeRule {
  return (nodeName, access) => {
    if (!isRead(access.verb)) return refusal("can only read resources of this type");
    if (access.subresource !== undefined) return refusal("cannot read subresource");
    if (access.namespace === undefined) return refusal("can only read namespaced object of this type");
    return related(nodeName, kind, access);
  };
}

function getRule(related: RelatedRule, kind: RelatedKind): NodeRule {
  return (nodeName, access) => {
    if (access.verb !== "get") return refusal("can only get individual resources of this type");
    if (access.subresource !== undefined) return refusal("cannot get subresource");
    return related(nodeName, kind, access);
  };
}

function claimRule(related: RelatedRule): NodeRule {
  const get = getRule(related, "persistentvolumeclaims");
  return (nodeName, access) => {
    if (access.subresource !== "status") return get(nodeName, access);
    const isWrite = access.verb === "update" || access.verb === "patch";
    return isWrite
      ? related(nodeName, "persistentvolumeclaims", access)
      : refusal("can only get/update/patch this type");
  };
}

function accountRule(related: RelatedRule): NodeRule {
  const read = readRule(related, "serviceaccounts");
  return (nodeName, access) => {
    const { verb, subresource, name } = access;
    if (verb === "get" && subresource === undefined) return read(nodeName, access);
    if (verb !== "create" || name === undefined)
      return refusal("can only create tokens for individual service accounts");
    return subresource === "token"
      ? related(nodeName, "serviceaccounts", access)
      : refusal("can only create token subresource of serviceaccount");
  };
}

function sliceRule(related: RelatedRule): NodeRule {
  return (nodeName, access) => {
    const { verb, subresource } = access;
    if (subresource !== undefined) return refusal("cannot authorize ResourceSlice subresources");
    if (verb === "create") return allowed;
    if (verb === "get" || isChange(verb)) return related(nodeName, "resourceslices", access);
    if (verb !== "list" && verb !== "watch" && verb !== "deletecollection")
      return refusal(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
      );
    return selects(access, nodeName)
      ? allowed
      : refusal("can only list/watch/deletecollection resourceslices with nodeName field selector");
  };
}

function podRule(related: RelatedRule): NodeRule {
  return (nodeName, access) => {
    const { verb, subresource, name } = access;
    if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : noOpinion;
    if (subresource === "eviction") return verb === "create" ? allowed : noOpinion;
    if (subresource !== undefined) return noOpinion;
    if (verb === "create" || verb === "delete") return allowed;
    if (verb === "get") return related(nodeName, "pods", access);
    if (verb !== "list" && verb !== "watch") return noOpinion;
    if (selects(access, nodeName)) return allowed;
    return name === undefined
      ? refusal("can only list/watch pods with spec.nodeName field selector")
      : related(nodeName, "pods", access);
  };
}

function isRead(verb: string): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}

function isChange(verb: string): boolean {
  return verb === "update" || verb === "patch" || verb === "delete";
}

/** Whether a list or watch selects only objects of this node. */
function selects({ selectedFields }: ResourceAccess, nodeName: string): boolean {
  return selectedFields?.["spec.nodeName"] === nodeName;
}

function leaseRule(nodeName: string, { verb, namespace, name }: ResourceAccess): AccessDecision {
  if (verb !== "get" && verb !== "create" && !isChange(verb))
    return refusal("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leaseNamespace)
    return refusal(`can only access leases in the "${leaseNamespace}" system namespace`);
  return verb === "create" || name === nodeName
    ? allowed
    : refusal("can only access node lease with the same name as the requesting node");
}

function csiNodeRule(nodeName: string, { verb, subresource, name }: ResourceAccess): AccessDecision {
  if (verb !== "get" && verb !== "create" && !isChange(verb))
    return refusal("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== undefined) return refusal("cannot authorize CSINode subresources");
  return verb === "create" || name === nodeName
    ? allowed
    : refusal("can only access CSINode with the same name as the requesting node");
}

function ownNodeRule(nodeName: string, { verb, subresource, name }: ResourceAccess): AccessDecision {
  const isWrite = verb === "update" || verb === "patch";
  if (subresource === "status") return isWrite ? allowed : noOpinion;
  if (subresource !== undefined) return noOpinion;
  if (isWrite || verb === "create") return allowed;
  if (!isRead(verb)) return noOpinion;
  if (name === nodeName) return allowed;
  return refusal(
    name === undefined
      ? `node '${nodeName}' cannot read all nodes, only its own Node object`
      : `node '${nodeName}' cannot read '${name}', only its own Node object`,
  );
}
