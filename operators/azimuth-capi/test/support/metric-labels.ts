import { MetricsRegistry } from "keelson/telemetry";
import { measureObjects } from "../../src/metrics.ts";

/** The labels of each metric of templates, Clusters and apps, by its name. */
export function labelsOfMetrics(): Readonly<Record<string, readonly string[]>> {
  const labels: Record<string, readonly string[]> = {};
  class Recorder extends MetricsRegistry {
    override collected(...[type, options, collect]: Parameters<MetricsRegistry["collected"]>): void {
      super.collected(type, options, collect);
      labels[options.name] = options.labels ?? [];
    }
  }
  const none = (): readonly never[] => [];
  measureObjects(new Recorder(), {
    ...{ clusterTemplates: none, appTemplates: none, clusters: none, helmReleases: none },
  });
  return labels;
}
