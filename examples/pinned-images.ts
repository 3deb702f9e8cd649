// A rule for all Deployments: an image names its version. It needs no kind of its own.
import { admission, defineOperator } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";

/** `registry:5000/web` has a port, and no tag. */
function isPinned(image: string): boolean {
  const last = image.slice(image.lastIndexOf("/") + 1);
  return last.includes("@") || (last.includes(":") && !last.endsWith(":latest"));
}

const rules = admission(Deployment, { failurePolicy: "Ignore" })
  .mutate(({ object }) => {
    object.metadata.labels = { "examples.keelson.dev/checked": "true", ...object.metadata.labels };
  })
  .validate(({ object, old, deny, warn }) => {
    const { containers = [], initContainers = [] } = object.spec?.template.spec ?? {};
    const loose = [...initContainers, ...containers].find(({ image = "" }) => !isPinned(image));
    if (loose === undefined) return;
    const problem = `container ${loose.name}: image ${loose.image} has neither a digest nor a tag but latest`;
    // Deployments that exist already can still be scaled and repaired.
    if (old === undefined) deny(problem, { field: "spec.template.spec.containers" });
    warn(problem);
  });

export const pinnedImages = defineOperator({ name: "pinned-images", webhooks: [rules] });
