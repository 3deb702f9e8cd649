import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field } from "../../stage.ts";
import { isGone, prepared } from "../kubectl/settling.ts";
import { manifest, secret } from "../manifests.ts";
import { show } from "./pods-of.ts";

const tokenSecret = (account: string) =>
  secret("robot-token", {
    metadata: { annotations: { "kubernetes.io/service-account.name": account } },
    type: "kubernetes.io/service-account-token",
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
    conforms("a Job that is made by hand from a CronJob goes with it", async (stage) => {
      await stage.kubectl(["create", "cronjob", "tick", "--image=job:1", "--schedule=0 0 29 2 *"]);
      await stage.kubectl("create job now --from=cronjob/tick");
      await stage.kubectl("delete cronjob tick");
      await isGone("batch/v1:jobs/now")(stage);
    }),
  ],
};
