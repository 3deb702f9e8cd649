export { InvalidNodesError, NodeTakenError, UnknownNodeError } from "./errors.ts";
export type { HollowNodes, HollowNodesOptions, SetReadyOptions } from "./hollow-nodes.ts";
export type { HollowNodeOptions } from "./node/node-settings.ts";
export { nodeLabel } from "./node/node-settings.ts";
export { annotations } from "./pod/behaviour.ts";
export { NoAddressLeftError } from "./pod/pod-memory.ts";
export { startHollowNodes } from "./start-hollow-nodes.ts";
