import {
  admission,
  controller,
  defineOperator,
  defineResource,
  type GenericObject,
  type ObjectOf,
  type Operator,
  type SampleProgress,
  z,
} from "keelson";
import { isRecord } from "keelson/low-level";
import type { SampleStage } from "keelson/manager";
import { writeStatus } from "keelson/object";

export const Shed = defineResource({
  group: "cli.example.com",
  version: "v1",
  kind: "Shed",
  scope: "Namespaced",
  spec: z.object({
    size: z.int32().min(0).optional(),
    replicas: z.int32().min(0).default(2),
    never: z.boolean().optional(),
  }),
  status: z.object({ replicas: z.int32() }),
  scale: {},
});

function progress({ metadata, spec, status }: GenericObject, { isLater }: SampleStage): SampleProgress {
  const desired = isRecord(spec) ? spec.replicas : undefined;
  const there = isRecord(status) ? status.replicas : 0;
  const isExtended = !isLater || metadata.name !== "tools" || desired === 4;
  const isSettled = desired === there && isExtended;
  return {
    phase: isSettled ? "Built" : "Building",
    ready: `${there}/${desired}`,
    isSettled,
    ...(isRecord(spec) && spec.never === true && { problem: "it is never built" }),
  };
}

const sheds = controller(Shed).reconcile(async ({ object, client, events }) => {
  if (object.spec.never === true) return;
  await writeStatus(client, Shed, object, { replicas: object.spec.replicas }, { fieldOwner: "shed" });
  events.record(object, { type: "Normal", reason: "Built", message: `of size ${object.spec.size}` });
});

/** Files that tests choose, relative to the folder of samples, with commas between. */
const filesIn = (list: string): readonly URL[] =>
  list
    .split(",")
    .filter((file) => file !== "")
    .map((file) => new URL(`./samples/${file}`, import.meta.url));

/** Builds sheds, of size 7 by default, and none of size 13. */
export const shed: Operator = defineOperator({
  name: "shed",
  resources: [Shed],
  samples: {
    files: filesIn(process.env.SHED_SAMPLES ?? "sheds.yaml"),
    later: filesIn(process.env.SHED_LATER ?? ""),
    progress,
  },
  setup: (manager) => {
    manager.add(sheds);
    manager.addWebhooks({
      admissions: [
        admission(Shed)
          .mutate(({ object }) => {
            object.spec.size ??= 7;
          })
          .validate(({ object, deny }) => {
            if (object.spec.size === 13) deny("size 13 brings bad luck");
          }),
      ],
    });
  },
});

export type Shed = ObjectOf<typeof Shed>;
