import { isPinned, parseImageReference } from "../api/image-reference.ts";
import type { WebApp } from "../api/web-app.ts";

/** Warnings about valid fields that are probably mistakes. */
export function warningsOf({ spec }: WebApp, old: WebApp | undefined): readonly string[] {
  const { image, autoscaling, replicas, resources } = spec;
  const reference = parseImageReference(image);
  const warnings: string[] = [];
  if (reference !== undefined && !isPinned(reference))
    warnings.push(`image ${image} may name another version later: pods may run different versions`);
  if (autoscaling === undefined) return warnings;
  if (old?.spec.autoscaling !== undefined && old.spec.replicas !== replicas)
    warnings.push("replicas has no effect while autoscaling is set");
  if (resources?.requests?.cpu === undefined)
    warnings.push(
      "autoscaling needs resources.requests.cpu: without it the autoscaler cannot compute the CPU usage of the pods",
    );
  return warnings;
}
