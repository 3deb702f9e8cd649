export { conditionTypes, eventReasons, reasons } from "./api/reasons.ts";
export type { WebAppAutoscaling, WebAppIngress, WebAppSpec, WebAppSpecInput } from "./api/spec.ts";
export type { Phase, WebAppStatus } from "./api/status.ts";
export { WebApp } from "./api/web-app.ts";
export type { WebAppOperatorOptions } from "./operator.ts";
export { webapp, webappOperator } from "./operator.ts";
