import {
  type ApiCall,
  type Authorize,
  authorizeByReview,
  type Client,
  isRecord,
  type Logger,
  mapCalls,
} from "keelson";

/** The non-resource URL that stands for all of `/debug/`. */
export const debugUrl = "/debug";

/**
 * Lets in who may `get` the non-resource URL `/debug`: whoever may see metrics may not see all that is in memory because
 * of that.
 */
export function authorizeDebug(client: Client, log: Logger): Authorize {
  return authorizeByReview(mapCalls(client, askForDebug), { log });
}

function askForDebug(call: ApiCall): ApiCall {
  const { body } = call;
  if (body === undefined || !isRecord(body.value) || !isRecord(body.value.spec)) return call;
  const { spec } = body.value;
  if (!isRecord(spec.nonResourceAttributes)) return call;
  const nonResourceAttributes = { ...spec.nonResourceAttributes, path: debugUrl };
  return { ...call, body: { ...body, value: { ...body.value, spec: { ...spec, nonResourceAttributes } } } };
}
