import { type Clock, defineOperator, type Operator, systemClock } from "keelson";
import { operatorName } from "./api/labels.ts";
import { WebApp } from "./api/web-app.ts";
import { progressOf } from "./progress.ts";
import { webappUses } from "./uses.ts";
import { webappController } from "./webapp/controller.ts";
import { webappAdmission } from "./webhook/admission.ts";

export interface WebAppOperatorOptions {
  /** By which the changes of conditions are dated. Default: the machine's. */
  readonly clock?: Clock;
}

export function webappOperator({ clock = systemClock }: WebAppOperatorOptions = {}): Operator {
  return defineOperator({
    name: operatorName,
    resources: [WebApp],
    uses: webappUses,
    samples: {
      files: [
        new URL("../samples/nginx-app.yaml", import.meta.url),
        new URL("../samples/shop.yaml", import.meta.url),
      ],
      progress: progressOf,
    },
    setup: (manager) => {
      manager.add(webappController(clock));
      manager.addWebhooks({ admissions: [webappAdmission] });
    },
  });
}

/** The WebApp operator: `keelson run webapp`. */
export const webapp: Operator = webappOperator();
