import type { CaseGroup } from "../../conformance-case.ts";
import { session } from "./session.ts";
import { hasCondition } from "./settling.ts";

export const jobCommandCases: CaseGroup = {
  title: "kubectl create job",
  cases: [
    session(
      "create job makes a Job that completes",
      "create job once --image=job:1 -- run it",
      "create job once --image=job:1",
      hasCondition("batch/v1:jobs/once", "Complete"),
      "get job once",
      "get jobs -o wide",
      "get pods -l job-name=once",
    ),
    session(
      "create job from a CronJob",
      "create cronjob tick --image=job:1 --schedule='0 0 1 1 *'",
      "create job now --from=cronjob/tick",
      hasCondition("batch/v1:jobs/now", "Complete"),
      "get job now -o jsonpath={.metadata.annotations}{.metadata.ownerReferences}{.spec.template}",
      "get cronjob tick",
      "get cronjob tick -o wide",
      "create job now --from=cronjob/none",
      "create job again --from=configmap/kube-root-ca.crt",
      "create job again --from=cronjob/tick --dry-run=server -o yaml",
    ),
    session(
      "create cronjob refuses a schedule that is none",
      "create cronjob tick --image=job:1 --schedule=often",
      "create cronjob tick --image=job:1 --schedule='61 * * * *'",
      "create cronjob tick --image=job:1",
    ),
  ],
};
