export { azimuthCapi } from "./operator.ts";
