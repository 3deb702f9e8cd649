import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { afterAll, beforeAll, describe, it } from "vitest";
import { reloader } from "../../src/operator.ts";
import { keys } from "../support/decision-objects.ts";
import {
  annotationRows,
  type DecisionRow,
  orderRows,
  referenceRows,
  unusedRows,
  using,
} from "../support/decision-tables.ts";
import { createResource, expectReloads, type TableRow } from "../support/reload-table.ts";
import { ReloaderSpace } from "../support/space.ts";

type TableKind = "Secret" | "ConfigMap";

let world: World;
let operator: RunningOperator;

const settings = { coalesceWindow: "50ms" };

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  operator = await world.runOperator(reloader, { settings });
});
afterAll(() => world?.stop());

const idle = () => operator.idle();

function tableRow({ of, expected, annotations = {}, onTemplate = {}, pod = using }: DecisionRow): TableRow {
  return { of, annotations, onTemplate, pod, isReloaded: expected === "explicit" || expected === "auto" };
}

/** The rows about a kind, by the annotations of the resource. Those of one group can share a namespace. */
function groupsOf(rows: readonly DecisionRow[], kind: TableKind): readonly (readonly DecisionRow[])[] {
  const own = rows.filter(({ resource = "Secret", onAlias }) => resource === kind && onAlias === undefined);
  return [...Map.groupBy(own, ({ onResource = {} }) => JSON.stringify(onResource)).values()];
}

async function playGroups(rows: readonly DecisionRow[], kind: TableKind): Promise<void> {
  await Promise.all(
    groupsOf(rows, kind).map(async (group) => {
      const space = await ReloaderSpace.create(world);
      await createResource(space, kind, "db", group[0]?.onResource);
      await expectReloads(space, kind, group.map(tableRow), idle);
    }),
  );
}

const rows = [...annotationRows, ...orderRows];

describe("annotations (B.1, B.2)", () => {
  it.each<TableKind>(["Secret", "ConfigMap"])(
    "decide which Deployments a change of a %s reloads",
    async (kind) => {
      await playGroups(
        rows.filter(({ autoReloadAll = false }) => !autoReloadAll),
        kind,
      );
    },
  );
});

describe("references (core/reference_methods)", () => {
  const auto = { [keys.auto]: "true" };

  it.each<TableKind>(["Secret", "ConfigMap"])(
    "decide which Deployments with auto a change of a %s reloads",
    async (kind) => {
      const space = await ReloaderSpace.create(world);
      await createResource(space, kind, "db");
      const used = referenceRows.map(([of, pod, resource]) => ({
        ...{ of, pod, annotations: auto, isReloaded: resource === `${kind}/db` },
      }));
      const unused = unusedRows
        .filter(([of]) => of !== "a reference without a name")
        .map(([of, pod]) => ({ of, pod, annotations: auto, isReloaded: false }));
      await expectReloads(space, kind, [...used, ...unused], idle);
    },
  );
});

describe("annotations with auto-reload-all (B.2)", () => {
  it("decide which Deployments a change reloads", async () => {
    await operator.stop();
    operator = await world.runOperator(reloader, { settings: { ...settings, autoReloadAll: true } });
    const own = rows.filter(({ autoReloadAll }) => autoReloadAll === true);
    await Promise.all([playGroups(own, "Secret"), playGroups(own, "ConfigMap")]);
  });
});
