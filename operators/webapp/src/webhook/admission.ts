import { type Admission, admission } from "keelson";
import { WebApp } from "../api/web-app.ts";
import { defaultWebApp } from "./default-web-app.ts";
import { validateWebApp } from "./validate-web-app.ts";

/**
 * The API server calls the mutating webhook first, checks the result against the schema, and then calls the validating one.
 * It calls neither for a WebApp that is being deleted, so that the deletion ends also while no operator runs.
 */
export const webappAdmission: Admission<WebApp> = admission(WebApp, { duringDeletion: "SkipUpdates" })
  .mutate((call) => defaultWebApp(call))
  .validate((call) => validateWebApp(call));
