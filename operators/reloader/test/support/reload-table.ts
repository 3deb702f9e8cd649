import { Deployment } from "keelson/kinds/apps/v1";
import type { PodSpec } from "keelson/kinds/core/v1";
import { expect } from "vitest";
import { ReloadRecord } from "../../src/api/reload-record.ts";
import { keys, type Texts } from "./decision-objects.ts";
import type { ReloaderSpace } from "./space.ts";

/** A Deployment of a table, and whether a change reloads it. */
export interface TableRow {
  readonly of: string;
  readonly annotations?: Texts;
  readonly onTemplate?: Texts;
  readonly pod?: PodSpec;
  readonly isReloaded: boolean;
}

type TableKind = "Secret" | "ConfigMap";

/** Creates a Secret or a ConfigMap. */
export async function createResource(
  space: ReloaderSpace,
  kind: TableKind,
  name: string,
  annotations: Texts = {},
): Promise<void> {
  if (kind === "Secret") await space.createSecret(name, { key: "one" }, { annotations });
  else await space.createConfigMap(name, { key: "one" }, { annotations });
}

/** Changes the content of a Secret or a ConfigMap. */
async function changeResource(
  space: ReloaderSpace,
  kind: TableKind,
  name: string,
  value = "two",
): Promise<void> {
  if (kind === "Secret") await space.changeSecret(name, { key: value });
  else await space.changeConfigMap(name, { key: value });
}

/**
 * Creates a Deployment for each row, changes the resource `db` of the kind, which exists, and expects that each row which is to be
 * reloaded is reloaded once, and no other row. A Deployment that another change reloads afterwards shows that the
 * operator has seen the first one.
 */
export async function expectReloads(
  space: ReloaderSpace,
  kind: TableKind,
  rows: readonly TableRow[],
  idle: () => Promise<void>,
): Promise<void> {
  const control: TableRow = {
    of: "the control",
    annotations: { [keys.named[kind]]: "control" },
    isReloaded: true,
  };
  const all = new Map([control, ...rows].map((row, index) => [`row-${index}`, row]));
  await createResource(space, kind, "control");
  await Promise.all(
    [...all].map(([name, { annotations = {}, onTemplate = {}, pod }]) =>
      space.createDeployment(name, {
        ...{ replicas: 0, annotations, templateAnnotations: onTemplate },
        ...(pod !== undefined && { spec: pod }),
      }),
    ),
  );
  const expected = [...all.values()].filter(({ isReloaded }) => isReloaded).map(({ of }) => of);
  const describeRows = (names: readonly string[]) =>
    [...all].filter(([name]) => names.includes(name)).map(([, { of }]) => of);
  const recorded = async () =>
    describeRows(
      (await space.list(ReloadRecord))
        .filter(({ status }) => status?.baselines !== undefined)
        .map(({ spec }) => spec.name),
    );
  const reloads = async () =>
    new Map(
      (await space.list(Deployment)).map(({ metadata }) => [metadata.name, (metadata.generation ?? 1) - 1]),
    );
  const reloaded = async () =>
    describeRows([...(await reloads())].filter(([, count]) => count > 0).map(([name]) => name));
  await expect.poll(recorded).toEqual(expected);
  expect(await reloaded()).toEqual([]);
  await changeResource(space, kind, "db");
  await changeResource(space, kind, "control");
  await expect.poll(reloaded).toEqual(expected);
  await idle();
  expect(await reloaded()).toEqual(expected);
  expect(await recorded()).toEqual(expected);
  expect(Math.max(...(await reloads()).values())).toBe(1);
}
