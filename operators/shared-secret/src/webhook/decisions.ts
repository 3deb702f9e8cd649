import { type Admission, admission, type Mutation } from "keelson";
import { isRecord } from "keelson/low-level";
import { group } from "../api/names.ts";
import { SecretAccess } from "../api/secret-access.ts";

/** Records who requests access. What users write there themselves is replaced. */
const requests: Admission<SecretAccess> = admission(SecretAccess, {
  name: `requests.${group}`,
}).mutate(recordRequest, { operations: ["CREATE"] });

/** A field of the status in an expression, or an empty text if it is absent. */
function field(object: string, name: string): string {
  return `(has(${object}.status) && has(${object}.status.${name}) ? ${object}.status.${name} : '')`;
}

/** Other changes of the status, such as of conditions, do not depend on this webhook. */
const isDecision = ["decision", "decidedBy", "decidedAt"]
  .map((name) => `${field("object", name)} != ${field("oldObject", name)}`)
  .join(" || ");

/** Records who decided and when. Who may write the status cannot decide in the name of others. */
const decisions: Admission<SecretAccess> = admission(SecretAccess, {
  name: `decisions.${group}`,
  subresource: "status",
  matchConditions: [{ name: "changes-the-decision", expression: isDecision }],
}).mutate(recordDecision, { operations: ["UPDATE"] });

/** The webhooks by which a SecretAccess shows who requested and who decided. Without them neither is possible. */
export const accessAdmissions: readonly Admission<SecretAccess>[] = [requests, decisions];

type Call = Pick<Mutation<SecretAccess>, "object" | "old" | "request" | "clock">;

/** The object has not been validated yet: one of the wrong type is left for the API server to refuse. */
function recordRequest({ object: { spec }, request }: Call): void {
  if (isRecord(spec)) spec.requestedBy = request.userInfo.username ?? "";
}

function recordDecision({ object: { status }, old, request, clock }: Call): void {
  if (!isRecord(status)) return;
  const { decision, decidedBy, decidedAt } = old?.status ?? {};
  delete status.decidedBy;
  delete status.decidedAt;
  if (status.decision === decision) {
    if (decidedBy !== undefined) status.decidedBy = decidedBy;
    if (decidedAt !== undefined) status.decidedAt = decidedAt;
  } else if (status.decision !== undefined && status.decision !== "Pending") {
    // A request that waits again has no decision.
    status.decidedBy = request.userInfo.username ?? "";
    // Two decisions within a second have an order.
    status.decidedAt = new Date(clock.now()).toISOString();
  }
}
