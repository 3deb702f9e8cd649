import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field } from "../../stage.ts";
import { countIs, isGone, itemsOf, podsAre, prepared } from "../kubectl/settling.ts";
import { manifest, secret } from "../manifests.ts";
import { show } from "./pods-of.ts";

const tokenSecret = (account: string) =>
  secret("robot-token", {
    metadata: { annotations: { "kubernetes.io/service-account.name": account } },
    type: "kubernetes.io/service-account-token",
  });

const replacingCronJob = manifest("batch/v1", "CronJob", "tick", {
  spec: {
    schedule: "0 0 29 2 *",
    suspend: true,
    concurrencyPolicy: "Replace",
    jobTemplate: {
      spec: {
        template: {
          metadata: { annotations: { "hollow.keelson.dev/run": "forever" } },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "job:1" }] },
        },
      },
    },
  },
});

export const accountCases: CaseGroup = {
  title: "ServiceAccounts and CronJobs",
  cases: [
    conforms("a Secret for a ServiceAccount is filled", async (stage) => {
      await prepared("serviceaccounts", manifest("v1", "ServiceAccount", "robot"))(stage);
      await prepared("secrets", tokenSecret("robot"))(stage);
      await stage.until(
        stage.path("secrets/robot-token"),
        (object) => field(object, "data.token") !== undefined,
      );
      await stage.kubectl([
        "get",
        "secret",
        "robot-token",
        "-o",
        "go-template={{range $key, $value := .data}}{{$key}} {{end}}{{.metadata.annotations}}",
      ]);
    }),
    conforms("a Secret of a ServiceAccount goes with it", async (stage) => {
      await prepared("serviceaccounts", manifest("v1", "ServiceAccount", "robot"))(stage);
      await prepared("secrets", tokenSecret("robot"))(stage);
      await stage.until(
        stage.path("secrets/robot-token"),
        (object) => field(object, "data.token") !== undefined,
      );
      await stage.kubectl("delete serviceaccount robot");
      await isGone("secrets/robot-token")(stage);
    }),
    conforms("a Secret for a ServiceAccount that is not there goes", async (stage) => {
      await stage.create(stage.path("secrets"), tokenSecret("missing"));
      await isGone("secrets/robot-token")(stage);
    }),
    conforms("a pod of a ServiceAccount that is not there is refused", async (stage) => {
      await stage.kubectl('run web --image=web:1 --overrides={"spec":{"serviceAccountName":"missing"}}');
    }),
    conforms("a CronJob that is far from its time has made nothing", async (stage) => {
      await stage.kubectl(["create", "cronjob", "tick", "--image=job:1", "--schedule=0 0 29 2 *"]);
      await show(stage, "batch/v1:cronjobs/tick", ["spec.suspend", "spec.concurrencyPolicy", "status"]);
      await stage.kubectl('patch cronjob tick --type=merge -p {"spec":{"suspend":true}}');
      await stage.kubectl("get cronjobs");
      await stage.kubectl("delete cronjob tick");
    }),
    conforms("a CronJob whose policy is Replace deletes the Job that runs", async (stage) => {
      const path = "batch/v1:cronjobs/tick";
      await prepared("batch/v1:cronjobs", replacingCronJob)(stage);
      // A time that passed long ago is due at once when the last one is set to be earlier.
      const startNext = async (schedule: string): Promise<void> => {
        const send = (to: string, body: unknown): Promise<unknown> =>
          stage.quietly({
            method: "PATCH",
            path: stage.path(to),
            headers: { "content-type": "application/merge-patch+json" },
            body: JSON.stringify(body),
          });
        await send(path, { spec: { schedule, suspend: false } });
        // A changed schedule alone is looked at when it is next due.
        await send(`${path}/status`, { status: { lastScheduleTime: "2024-01-01T00:00:00Z" } });
      };
      await startNext("0 0 29 2 *");
      await countIs("batch/v1:jobs", 1)(stage);
      await podsAre(1)(stage);
      await stage.until(stage.path(path), (object) => JSON.stringify(object).includes('"active"'));
      const [first] = itemsOf(await stage.until(stage.path("batch/v1:jobs"), () => true));
      await startNext("30 0 29 2 *");
      const replaced = await stage.until(stage.path("batch/v1:jobs"), (response) => {
        const [only, ...others] = itemsOf(response);
        return (
          others.length === 0 &&
          only !== undefined &&
          field(only, "metadata.uid") !== field(first, "metadata.uid")
        );
      });
      const [second] = itemsOf(replaced);
      stage.record("jobs", [field(first, "metadata.name"), field(second, "metadata.name")]);
      await stage.until(stage.path(path), (object) =>
        JSON.stringify(object).includes(String(field(second, "metadata.name"))),
      );
      await show(stage, path, ["status.lastScheduleTime", "status.active"]);
      await stage.kubectl("delete cronjob tick");
    }),
    conforms("a Job that is made by hand from a CronJob goes with it", async (stage) => {
      await stage.kubectl(["create", "cronjob", "tick", "--image=job:1", "--schedule=0 0 29 2 *"]);
      await stage.kubectl("create job now --from=cronjob/tick");
      await stage.kubectl("delete cronjob tick");
      await isGone("batch/v1:jobs/now")(stage);
    }),
  ],
};
