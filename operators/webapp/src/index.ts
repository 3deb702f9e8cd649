export { conditionTypes, eventReasons, reasons } from "./api/reasons.ts";
export type { WebAppAutoscaling, WebAppIngress, WebAppSpec } from "./api/spec.ts";
export type { Phase, WebAppStatus } from "./api/status.ts";
export type { NewWebApp } from "./api/web-app.ts";
export { WebApp } from "./api/web-app.ts";
export { webapp } from "./operator.ts";
