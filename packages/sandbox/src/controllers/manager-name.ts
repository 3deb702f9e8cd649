/** The field manager of what the controllers write. */
export const controllerManager = "kube-controller-manager";
