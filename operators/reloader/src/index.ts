export { ReloadRecord } from "./api/reload-record.ts";
export type { NewReloaderConfig } from "./api/reloader-config.ts";
export { ReloaderConfig } from "./api/reloader-config.ts";
export { reloader } from "./operator.ts";
