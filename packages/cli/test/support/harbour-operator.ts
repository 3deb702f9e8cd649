import {
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

const Boat = defineResource({
  group: "cli.example.com",
  version: "v1",
  kind: "Boat",
  spec: z.object({ port: z.string() }),
  status: z.object({ phase: z.string() }),
});

const settings = z.object({
  tide: z.string().default("unknown"),
  harbour: z.object({ url: z.string().default("nowhere"), pilot: z.string().default("none") }).prefault({}),
});

const boats = controller(Boat)
  .settings(settings)
  .reconcile(({ object, settings: { tide, harbour }, setStatus }) =>
    setStatus({ phase: `${object.spec.port}, ${tide}, ${harbour.pilot}, ${harbour.url}` }).then(
      () => undefined,
    ),
  );

function progress({ status }: GenericObject): SampleProgress {
  const phase = isRecord(status) ? String(status.phase) : "Sailing";
  return { phase, isSettled: status !== undefined };
}

/** Shows its settings as the phase of its boats. */
export const harbour: Operator = defineOperator({
  name: "harbour",
  settings,
  controllers: [boats],
  samples: {
    files: [new URL("./samples/boat.yaml", import.meta.url)],
    progress,
    neighbours: new URL(process.env.HARBOUR_NEIGHBOURS ?? "./harbour-neighbours.ts", import.meta.url),
  },
});

export type Boat = ObjectOf<typeof Boat>;
