import { X509Certificate } from "node:crypto";
import { deepEqual, draft, formatTime } from "@keelson/core";
import type { CertificateSigningRequest } from "@keelson/core/kinds/certificates/v1";
import { pemBlocks } from "../../auth/certificates/pem.ts";
import { parseSigningRequest, SigningRequestError } from "../../auth/certificates/signing-request.ts";
import { dnsLabelProblems, dnsSubdomainProblems, pathSegmentProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type GivenDraft, type GivenObject } from "../builtin-strategy.ts";

type GivenRequest = GivenObject<CertificateSigningRequest>;
type GivenStatus = NonNullable<GivenRequest["status"]>;
type GivenCondition = NonNullable<GivenStatus["conditions"]>[number];

/** What a write may change beside the metadata. */
type WrittenPart = "nothing" | "certificate" | "conditions";

const conditionsField = "status.conditions";
const certificateField = "status.certificate";
const leastSeconds = 600;
const mostDomain = 253;
const mostSignerName = 571;

/** A request is immutable: its approval and its certificate are written by subresources. */
export const signingRequestStrategy: Strategy = builtinStrategy<CertificateSigningRequest>({
  nameProblem: (name) => pathSegmentProblems(name)[0],
  prepareForCreate(request, { user }) {
    const { username, uid = "", groups, extra = {} } = user;
    const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...given } = request.spec ?? {};
    const lists = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
    request.spec = {
      ...given,
      username,
      ...(uid !== "" && { uid }),
      ...(groups.length > 0 && { groups: [...groups] }),
      ...(lists.length > 0 && { extra: Object.fromEntries(lists) }),
    };
  },
  prepareForUpdate(request, old) {
    if (old.spec !== undefined) request.spec = draft(old.spec);
  },
  prepareForStatusUpdate(request, old, { now }) {
    for (const type of ["Approved", "Denied"]) keepConditions(request, old, type);
    fillConditionTimes(request, old, now);
  },
  validateCreate: (request) => requestProblems(request, undefined),
  validateUpdate: (request, old) => updateProblems(request, old, "nothing"),
  validateStatusUpdate: (request, old) => updateProblems(request, old, "certificate"),
  parts: {
    approval: {
      prepareForUpdate(request, old, { now }) {
        fillConditionTimes(request, old, now);
        const { conditions } = request.status ?? {};
        const { conditions: _before, ...status } = old.status ?? {};
        if (old.spec !== undefined) request.spec = draft(old.spec);
        request.status = { ...draft(status), ...(conditions !== undefined && { conditions }) };
      },
      validateUpdate: (request, old) => updateProblems(request, old, "conditions"),
    },
  },
});

function conditionsOf({ status }: Pick<GivenRequest, "status">): readonly GivenCondition[] {
  return status?.conditions ?? [];
}

function ofType(request: GivenRequest, wanted: string): readonly GivenCondition[] {
  return conditionsOf(request).filter(({ type }) => type === wanted);
}

/** Keeps the conditions of a type as they were, unless some are added or removed, which validation refuses. */
function keepConditions(
  request: GivenDraft<CertificateSigningRequest>,
  old: GivenRequest,
  type: string,
): void {
  const before = ofType(old, type);
  const conditions = request.status?.conditions ?? [];
  const places = conditions.flatMap((condition, index) => (condition.type === type ? [index] : []));
  if (places.length !== before.length) return;
  for (const [index, place] of places.entries()) {
    const condition = before[index];
    if (condition !== undefined) conditions[place] = draft(condition);
  }
}

function fillConditionTimes(
  request: GivenDraft<CertificateSigningRequest>,
  old: GivenRequest,
  now: number,
): void {
  const time = formatTime(now);
  for (const condition of request.status?.conditions ?? []) {
    condition.lastUpdateTime ??= time;
    const before = conditionsOf(old).find(
      ({ type, status, lastTransitionTime }) =>
        type === condition.type && status === condition.status && lastTransitionTime !== undefined,
    );
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? time;
  }
}

function requestProblems(request: GivenRequest, old: GivenRequest | undefined): readonly FieldProblem[] {
  const { request: encoded = "", usages = [], signerName = "", expirationSeconds } = request.spec ?? {};
  const pemProblem = requestProblem(decodedText(encoded));
  const isLegacy = signerName === legacySigner;
  return [
    ...(pemProblem === undefined ? [] : [invalidValue("spec.request", encoded, pemProblem)]),
    ...usagesProblems(usages, old?.spec?.usages),
    ...(isLegacy
      ? old === undefined
        ? [invalidValue("spec.signerName", signerName, notInThisVersion)]
        : []
      : signerNameProblems(signerName, "spec.signerName")),
    ...(expirationSeconds !== undefined && expirationSeconds < leastSeconds
      ? [invalidValue("spec.expirationSeconds", expirationSeconds, tooShort)]
      : []),
    ...conditionsProblems(request, old),
    ...certificateProblems(request, old),
  ];
}

const legacySigner = "kubernetes.io/legacy-unknown";
const notInThisVersion = "the legacy signerName is not allowed via this API version";
const tooShort = "may not specify a duration less than 600 seconds (10 minutes)";

function decodedText(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

function requestProblem(pem: string): string | undefined {
  try {
    return parseSigningRequest(pem).signatureProblem();
  } catch (error) {
    if (error instanceof SigningRequestError) return error.message;
    throw error;
  }
}

const knownUsages = [
  ...["any", "cert sign", "client auth", "code signing", "content commitment", "crl sign"],
  ...["data encipherment", "decipher only", "digital signature", "email protection", "encipher only"],
  ...["ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment"],
  ...["microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"],
];

function usagesProblems(
  usages: readonly string[],
  before: readonly string[] | undefined,
): readonly FieldProblem[] {
  const field = "spec.usages";
  // A stored request stays valid.
  if (before !== undefined && deepEqual(usages, before)) return [];
  return [
    ...(usages.length === 0 ? [required(field)] : []),
    ...usages.flatMap((usage, index) =>
      knownUsages.includes(usage) ? [] : [notSupported(indexed(field, index), usage, knownUsages)],
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) < index ? [duplicateValue(indexed(field, index), usage)] : [],
    ),
  ];
}

/** A signer is named by a domain and a path: `example.com/signer`. */
function signerNameProblems(name: string, field: string): readonly FieldProblem[] {
  if (name === "") return [required(field)];
  const [domain = "", path = "", ...rest] = name.split("/");
  if (!name.includes("/") || rest.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(field, name, detail)];
  }
  const labels = domain.split(".");
  return [
    ...(domain.length > mostDomain ? [tooLong(field, mostDomain)] : []),
    ...labelProblems(labels, dnsLabelProblems).map((detail) => invalidValue(field, domain, detail)),
    ...(labels.length < 2
      ? [invalidValue(field, domain, "should be a domain with at least two segments separated by dots")]
      : []),
    ...labelProblems(path.split("."), dnsSubdomainProblems).map((detail) =>
      invalidValue(field, path, detail),
    ),
    ...(name.length > mostSignerName ? [tooLong(field, mostSignerName)] : []),
  ];
}

function tooLong(field: string, most: number): FieldProblem {
  return { type: "FieldValueTooLong", field, detail: `may not be more than ${most} bytes` };
}

/** The problems of the first label that has any. */
function labelProblems(
  labels: readonly string[],
  check: (label: string) => readonly string[],
): readonly string[] {
  for (const label of labels) {
    const problems = check(label);
    if (problems.length > 0)
      return problems.map((text) => `validating label ${JSON.stringify(label)}: ${text}`);
  }
  return [];
}

const onlyTrue: readonly string[] = ["Approved", "Denied", "Failed"];
const statuses = ["False", "True", "Unknown"];

function conditionsProblems(request: GivenRequest, old: GivenRequest | undefined): readonly FieldProblem[] {
  const conditions = conditionsOf(request);
  const types = conditions.map(({ type = "" }) => type);
  const before = old === undefined ? [] : conditionsOf(old).map(({ type = "" }) => type);
  const allowsBoth = before.includes("Approved") && before.includes("Denied");
  const allowsDuplicates = new Set(before).size < before.length;
  return conditions.flatMap(({ type = "", status = "" }, index) => {
    const field = indexed(conditionsField, index);
    const allowed = onlyTrue.includes(type) ? ["True"] : statuses;
    const earlier = types.slice(0, index);
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    const isBoth = opposite !== undefined && earlier.includes(opposite) && !allowsBoth;
    return [
      ...(type === "" && !before.includes("") ? [required(`${field}.type`)] : []),
      ...(status === ""
        ? [required(`${field}.status`)]
        : allowed.includes(status)
          ? []
          : [notSupported(`${field}.status`, status, allowed)]),
      ...(isBoth ? [invalidValue(conditionsField, type, exclusive)] : []),
      ...(earlier.includes(type) && !allowsDuplicates ? [duplicateValue(`${field}.type`, type)] : []),
    ];
  });
}

const exclusive = "Approved and Denied conditions are mutually exclusive";

function certificateProblems(request: GivenRequest, old: GivenRequest | undefined): readonly FieldProblem[] {
  const certificate = request.status?.certificate ?? "";
  if (old !== undefined && certificate === (old.status?.certificate ?? "")) return [];
  const problem = certificateProblem(certificate);
  return problem === undefined ? [] : [invalidValue(certificateField, "<certificate data>", problem)];
}

function certificateProblem(certificate: string): string | undefined {
  if (certificate === "") return undefined;
  const blocks = pemBlocks(decodedText(certificate));
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const { label, hasHeaders, bytes } of blocks) {
    if (label !== "CERTIFICATE") {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`;
    }
    if (hasHeaders) return "no PEM block headers are permitted";
    if (bytes.length === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    if (!isCertificate(bytes)) return "x509: malformed certificate";
  }
  return undefined;
}

function isCertificate(der: Uint8Array): boolean {
  try {
    new X509Certificate(der);
    return true;
  } catch {
    // The constructor has no other way to refuse bytes.
    return false;
  }
}

function updateProblems(
  request: GivenRequest,
  old: GivenRequest,
  written: WrittenPart,
): readonly FieldProblem[] {
  const certificate = request.status?.certificate ?? "";
  const before = old.status?.certificate ?? "";
  const removed = onlyTrue.filter((type) => ofType(request, type).length < ofType(old, type).length);
  const added = ["Approved", "Denied"].filter(
    (type) => ofType(request, type).length > ofType(old, type).length,
  );
  return [
    ...requestProblems(request, old),
    ...removed.map((type) =>
      forbiddenField(conditionsField, `updates may not remove a condition of type "${type}"`),
    ),
    ...(written === "conditions" ? [] : added).map((type) =>
      forbiddenField(conditionsField, `updates may not add a condition of type "${type}"`),
    ),
    ...(certificate !== before && before !== ""
      ? [forbiddenField(certificateField, "updates may not modify existing certificate content")]
      : []),
  ];
}
