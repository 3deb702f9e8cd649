export { ApiError } from "./status/api-error.ts";
