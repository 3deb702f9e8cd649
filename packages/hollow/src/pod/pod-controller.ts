import { type Channel, type ControllerDefinition, channelSource, controller, type ObjectKey } from "keelson";
import { predicateOf } from "keelson/controller";
import { Pod } from "keelson/kinds/core/v1";
import { type PodWorld, tendPod } from "./tend-pod.ts";

/** How many pods are written at once: enough to be limited by the server. */
const concurrency = 16;

/**
 * The controller of all pods that are bound to the hollow nodes of this program. Through the channel come pods that
 * must be looked at again although nothing has happened to them.
 */
export function podController(world: PodWorld, again: Channel<ObjectKey>): ControllerDefinition {
  const isOurs = predicateOf<Pod>((pod) => world.nodeOf(pod.spec?.nodeName ?? "") !== undefined);
  return controller(Pod, { concurrency, predicates: [isOurs], allowSharedName: true, needsLeadership: false })
    .named("hollow-pods")
    .source(
      channelSource<ObjectKey, ObjectKey>({
        name: "hollow nodes",
        channel: again,
        handler: ({ object: key }) => [key],
      }),
    )
    .reconcile((context) => tendPod(world, context));
}
