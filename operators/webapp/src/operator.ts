import { defineOperator } from "keelson";
import { operatorName } from "./api/labels.ts";
import { progressOf } from "./progress.ts";
import { webappController } from "./webapp/controller.ts";
import { webappAdmission } from "./webhook/admission.ts";

/** The WebApp operator: `keelson run webapp`. */
export const webapp = defineOperator({
  name: operatorName,
  controllers: [webappController],
  webhooks: [webappAdmission],
  samples: {
    files: [
      new URL("../samples/nginx-app.yaml", import.meta.url),
      new URL("../samples/shop.yaml", import.meta.url),
    ],
    progress: progressOf,
  },
});
