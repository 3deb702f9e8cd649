import type { WebApp } from "./web-app.ts";

/** The name of the operator, in labels and as a field manager. */
export const operatorName = "webapp";

const prefix = "app.kubernetes.io";
const nameLabel = `${prefix}/name`;
const instanceLabel = `${prefix}/instance`;
const componentLabel = `${prefix}/component`;
const managedByLabel = `${prefix}/managed-by`;

type Labels = Readonly<Record<string, string>>;

/** Labels that select the pods of a WebApp. They never change. Only in a webhook may a WebApp have no name yet. */
export function selectorLabels({ metadata: { name }, spec: { component } }: WebApp): Labels {
  return {
    [nameLabel]: operatorName,
    ...(name !== undefined && { [instanceLabel]: name }),
    ...(component !== undefined && { [componentLabel]: component }),
  };
}

/** The labels of every object of a WebApp. */
export function labelsOf(webapp: WebApp): Labels {
  return { ...selectorLabels(webapp), [managedByLabel]: operatorName };
}
