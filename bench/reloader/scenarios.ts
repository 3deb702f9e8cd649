import { setTimeout } from "node:timers/promises";
import { Deployment } from "keelson/kinds/apps/v1";
import type { Stage } from "./stage.ts";
import { complexPod, type Workload } from "./workload.ts";

/** A load on a cluster with workloads, as in upstream's load test. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** Default `env-vars`. */
  readonly strategy?: "annotations";
  /** Creates the objects. */
  prepare(stage: Stage): Promise<void>;
  load(stage: Stage): Promise<void>;
}

const changeAny =
  (periodMs: number) =>
  (stage: Stage): Promise<void> =>
    stage.every(periodMs, () => stage.anyContent().change());

const pairs =
  (count: number) =>
  async (stage: Stage): Promise<void> =>
    stage.addDeploymentsOf(await stage.addContents(count));

/** The load scenarios of upstream, by their ids there. */
export const scenarios: readonly Scenario[] = [
  { id: "S1", title: "burst", prepare: pairs(10), load: changeAny(100) },
  {
    ...{ id: "S2", title: "fan-out", load: changeAny(5_000) },
    async prepare(stage) {
      const contents = await stage.addContents(1);
      await stage.addWorkloads(
        Array.from({ length: 50 }, (_, index) => ({ namespace: "default", name: `app-${index}`, contents })),
      );
    },
  },
  {
    ...{ id: "S3", title: "high cardinality", load: changeAny(200) },
    async prepare(stage) {
      for (let index = 0; index < 11; index++) {
        const namespace = index === 0 ? "default" : `namespace-${index}`;
        await stage.addDeploymentsOf(await stage.addContents(20, { namespace }));
      }
    },
  },
  {
    ...{ id: "S4", title: "changes of metadata only", prepare: pairs(10) },
    load: (stage) => stage.every(100, () => stage.anyContent().touch()),
  },
  {
    ...{ id: "S5", title: "churn" },
    prepare: async (stage) => void (await stage.addContents(1)),
    async load(stage) {
      const alive: Workload[] = [];
      const churn = stage.every(500, async (round) => {
        const { contents } = stage;
        alive.push(await stage.addWorkload({ namespace: "default", name: `app-${round}`, contents }));
        const oldest = alive.length > 10 ? alive.shift() : undefined;
        if (oldest !== undefined) await stage.client.delete(Deployment, oldest);
      });
      await Promise.all([churn, changeAny(2_000)(stage)]);
    },
  },
  {
    ...{ id: "S6", title: "restart of the operator", prepare: pairs(20) },
    async load(stage) {
      const restart = setTimeout(stage.pace.loadMs / 3).then(() => stage.restartSubject());
      await Promise.all([restart, changeAny(200)(stage)]);
    },
  },
  {
    ...{ id: "S7", title: "API pressure", prepare: pairs(50) },
    async load(stage) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, writer) => {
          // Each writer has contents of its own, so that the last change of each is known.
          const own = stage.contents.filter((_content, index) => index % 10 === writer);
          await stage.every(100, async (round) => own[round % own.length]?.change());
        }),
      );
    },
  },
  {
    ...{ id: "S8", title: "large", load: changeAny(2_000) },
    prepare: async (stage) => stage.addDeploymentsOf(await stage.addContents(10, { valueBytes: 100 * 1024 })),
  },
  {
    ...{ id: "S9", title: "kinds", load: changeAny(5_000) },
    async prepare(stage) {
      const contents = await stage.addContents(1);
      const add = (kind: Workload["kind"], count: number): Promise<void> =>
        stage.addWorkloads(
          Array.from({ length: count }, (_, index) => ({
            ...{ kind, namespace: "default", name: `${kind.toLowerCase()}-${index}`, contents },
          })),
        );
      await add("Deployment", 5);
      await add("StatefulSet", 3);
      await add("DaemonSet", 2);
    },
  },
  {
    ...{ id: "S10", title: "Secrets and ConfigMaps" },
    async prepare(stage) {
      const secrets = await stage.addContents(5, { kind: "Secret" });
      const configs = await stage.addContents(5);
      await stage.addDeploymentsOf(secrets);
      await stage.addDeploymentsOf(configs.slice(0, 3));
      const mixed = secrets.slice(0, 2).map((secret, index) => ({
        ...{ namespace: "default", name: `app-mixed-${index}` },
        contents: [secret, ...configs.slice(3 + index, 4 + index)],
      }));
      await stage.addWorkloads(mixed);
    },
    load: (stage) =>
      stage.every(500, async (round) => {
        const ofKind = stage.contents.filter(({ kind }) => (kind === "Secret") === (round % 2 === 0));
        await ofKind[(round >> 1) % ofKind.length]?.change();
      }),
  },
  { id: "S11", title: "annotations", strategy: "annotations", prepare: pairs(10), load: changeAny(500) },
  {
    ...{ id: "S12", title: "accumulating pause", load: changeAny(2_000) },
    async prepare(stage) {
      const period = `${stage.pace.pausePeriodSeconds}s`;
      const contents = await stage.addContents(10);
      await stage.addDeploymentsOf(contents, { "deployment.reloader.stakater.com/pause-period": period });
    },
  },
  {
    ...{ id: "S13", title: "complex references", load: changeAny(2_000) },
    async prepare(stage) {
      const contents = await stage.addContents(5);
      const options = contents.flatMap((own, index) => {
        const neighbour = contents[(index + 1) % contents.length];
        if (neighbour === undefined) return [];
        const name = `app-${index}`;
        return [{ namespace: "default", name, contents: [own, neighbour], pod: complexPod(own, neighbour) }];
      });
      await stage.addWorkloads(options);
    },
  },
];
