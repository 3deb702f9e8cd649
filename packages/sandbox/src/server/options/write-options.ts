import type { UserInfo } from "../../auth/user.ts";
import { invalid } from "../../status/api-error.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { queryFlag } from "../request/query.ts";

export interface WriteOptions {
  readonly user: UserInfo;
  /** The field manager of the request; for writes other than apply, the program in the user agent by default. */
  readonly manager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: "Strict" | "Warn" | "Ignore";
  /** CreateOptions, UpdateOptions, PatchOptions, DeleteOptions as admission webhooks see them. */
  readonly admissionOptions?: Readonly<Record<string, unknown>>;
  /** Called before an update or a patch creates an object; throws ApiError if the user may not create it. */
  checkCreation?(): void;
  warn(text: string): void;
  readonly signal: AbortSignal;
}

const longestManager = 128;

/** The options of a write, from the query. Throws ApiError. `optionsKind` is the kind of options in messages. */
export function writeOptions(
  request: ApiRequest,
  optionsKind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  isApply = false,
): WriteOptions {
  const { query, headers, user, signal, warn } = request;
  const manager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const dryRun = query.getAll("dryRun");
  if (query.size > 0 || isApply) {
    const problems = [
      ...(optionsKind === "PatchOptions" ? patchProblems(query, manager, isApply) : []),
      ...managerProblems(manager),
      ...dryRunProblems(dryRun),
      ...validationProblems(fieldValidation),
    ];
    if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: optionsKind }, "", problems);
  }
  return {
    user,
    manager: manager === "" && !isApply ? managerOfAgent(headers["user-agent"] ?? "") : manager,
    dryRun: dryRun.length > 0,
    fieldValidation: isValidation(fieldValidation) ? fieldValidation : "Warn",
    admissionOptions: {
      kind: optionsKind,
      apiVersion: "meta.k8s.io/v1",
      ...(dryRun.length > 0 && { dryRun }),
      ...(manager !== "" && { fieldManager: manager }),
      ...(fieldValidation !== "" && { fieldValidation }),
      ...(isApply && { force: queryFlag(query, "force") ?? false }),
    },
    warn,
    signal,
  };
}

function isValidation(value: string): value is "Strict" | "Warn" | "Ignore" {
  return value === "Strict" || value === "Warn" || value === "Ignore";
}

function patchProblems(query: URLSearchParams, manager: string, isApply: boolean): readonly FieldProblem[] {
  if (isApply) return manager === "" ? [required("fieldManager", "is required for apply patch")] : [];
  if (queryFlag(query, "force") === undefined) return [];
  return [forbiddenField("force", "may not be specified for non-apply patch")];
}

function managerProblems(manager: string): readonly FieldProblem[] {
  if (Buffer.byteLength(manager) > longestManager) {
    return [
      {
        type: "FieldValueTooLong",
        field: "fieldManager",
        detail: `may not be more than ${longestManager} bytes`,
      },
    ];
  }
  for (const [position, character] of [...manager].entries()) {
    if (isPrintable(character)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const detail = `invalid character U+${code} (at position ${position})`;
    return [invalidValue("fieldManager", manager, detail)];
  }
  return [];
}

export function dryRunProblems(dryRun: readonly string[]): readonly FieldProblem[] {
  return dryRun.every((one) => one === "All") ? [] : [notSupported("dryRun", dryRun, ["All"])];
}

function validationProblems(value: string): readonly FieldProblem[] {
  if (value === "" || isValidation(value)) return [];
  return [notSupported("fieldValidation", value, ["", "Ignore", "Strict", "Warn"])];
}

/** The name of the program in the user agent, as far as it can be the name of a field manager. */
function managerOfAgent(userAgent: string): string {
  const slash = userAgent.indexOf("/");
  const program = slash === -1 ? userAgent : userAgent.slice(0, slash);
  if (/^[\x20-\x7e]{0,128}$/.test(program)) return program;
  let manager = "";
  for (const character of program) {
    if (!isPrintable(character)) continue;
    if (Buffer.byteLength(manager + character) > longestManager) break;
    manager += character;
  }
  return manager;
}

/** Printable by Go's definition: letters, marks, numbers, punctuation, symbols, and the space. */
function isPrintable(character: string): boolean {
  return /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character);
}
