import type { WebApp } from "./web-app.ts";

/** The operator, as labels and field managers call it. */
export const operatorName = "webapp";

const prefix = "app.kubernetes.io";
const nameLabel = `${prefix}/name`;
const instanceLabel = `${prefix}/instance`;
const componentLabel = `${prefix}/component`;
const managedByLabel = `${prefix}/managed-by`;

type Labels = Readonly<Record<string, string>>;

/** By which the pods of a WebApp are known. They never change. Only a webhook sees one that has no name yet. */
export function selectorLabels({ metadata: { name }, spec: { component } }: WebApp): Labels {
  return {
    [nameLabel]: operatorName,
    ...(name !== undefined && { [instanceLabel]: name }),
    ...(component !== undefined && { [componentLabel]: component }),
  };
}

/** What everything carries that belongs to a WebApp. */
export function labelsOf(webapp: WebApp): Labels {
  return { ...selectorLabels(webapp), [managedByLabel]: operatorName };
}
