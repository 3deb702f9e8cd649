import { isPinned, parseImageReference } from "../api/image-reference.ts";
import type { WebApp } from "../api/web-app.ts";

/** What a user may not have meant, but may do. */
export function warningsOf({ spec }: WebApp, old: WebApp | undefined): readonly string[] {
  const { image, autoscaling, replicas, resources } = spec;
  const reference = parseImageReference(image);
  const warnings: string[] = [];
  if (reference !== undefined && !isPinned(reference))
    warnings.push(`image ${image} may mean something else tomorrow: pods may run different versions`);
  if (autoscaling === undefined) return warnings;
  if (old?.spec.autoscaling !== undefined && old.spec.replicas !== replicas)
    warnings.push("replicas has no effect while there is autoscaling");
  if (resources?.requests?.cpu === undefined)
    warnings.push("autoscaling needs resources.requests.cpu: without it nobody knows how busy the pods are");
  return warnings;
}
