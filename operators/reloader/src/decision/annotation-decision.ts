import type { AnnotationKeys } from "../api/annotation-keys.ts";
import type { ResourceKind } from "../resource/watched-resource.ts";
import { parseBoolean } from "../settings/setting-types.ts";
import type { Texts } from "./decision-settings.ts";
import { type NamePatterns, namePatterns } from "./name-pattern.ts";
import { type References, referencesOf } from "./references.ts";
import { type AnnotatedWorkload, annotationSources } from "./workload-annotations.ts";

/**
 * Whether a resource counts for a workload by its annotations:
 * - `explicit`: it is named
 * - `auto`: a container uses it, and the workload asks for such resources
 * - `ignored`: the resource or the workload has the annotation `ignore`
 * - `excluded`: the workload leaves it out
 * - `unused`: it would count if a container used it
 * - `unmatched`: nothing asks for it
 */
export type AnnotationDecision = "explicit" | "auto" | "ignored" | "excluded" | "unused" | "unmatched";

/** A resource, as annotations decide about it. */
interface DecidedResource {
  readonly kind: ResourceKind;
  readonly name: string;
  /** Undefined if it does not exist any more; then it had what it was recorded for. */
  readonly annotations: Texts | undefined;
}

/** What the annotations of one workload say. */
export interface AnnotationRules {
  decide(resource: DecidedResource): AnnotationDecision;
  /** The workload has the annotation `ignore`. */
  readonly isIgnored: boolean;
  isExcluded(kind: ResourceKind, name: string): boolean;
  readonly references: References;
  /** What it says about one kind of resources. */
  ofKind(kind: ResourceKind): KindRules;
  /** What is wrong, each saying what to write instead. */
  readonly problems: readonly string[];
}

/** What the annotations say about the resources of one kind. */
interface KindRules {
  readonly named: NamePatterns;
  readonly excluded: ReadonlySet<string>;
  /** Used resources with the annotation `match` count. */
  readonly searches: boolean;
  /** Used resources count. */
  readonly isAuto: boolean;
}

const kinds: readonly ResourceKind[] = ["ConfigMap", "Secret", "SecretProviderClass"];

/** Reads the annotations of a workload, in upstream's order of decision. */
export function annotationRules(
  workload: AnnotatedWorkload,
  keys: AnnotationKeys,
  settings: { readonly autoReloadAll: boolean },
): AnnotationRules {
  const sources = annotationSources(workload);
  const references = referencesOf(workload.template);
  const isIgnored = sources.some((annotations) => annotations[keys.ignore] === "true");
  const problems = new Set<string>();
  const byKind = new Map(
    kinds.map((kind) => [kind, kindRules(kind, sources, keys, settings, problems)] as const),
  );
  const ofKind = (kind: ResourceKind): KindRules => byKind.get(kind) ?? noRules;
  for (const annotations of sources) checkLiteral(keys.ignore, annotations[keys.ignore], problems);
  return {
    decide(resource) {
      if (isIgnored) return "ignored";
      return decide(resource, ofKind(resource.kind), references, keys);
    },
    isIgnored,
    isExcluded: (kind, name) => ofKind(kind).excluded.has(name),
    references,
    ofKind,
    problems: [...problems],
  };
}

function decide(
  { kind, name, annotations }: DecidedResource,
  { named, excluded, searches, isAuto }: KindRules,
  references: References,
  keys: AnnotationKeys,
): AnnotationDecision {
  if (annotations?.[keys.ignore] === "true") return "ignored";
  if (excluded.has(name)) return "excluded";
  if (named.matches(name)) return "explicit";
  const isFound = searches && (annotations === undefined || annotations[keys.match] === "true");
  if (!isFound && !isAuto) return "unmatched";
  return references.useOf(kind, name) === undefined ? "unused" : "auto";
}

function kindRules(
  kind: ResourceKind,
  sources: readonly Texts[],
  keys: AnnotationKeys,
  { autoReloadAll }: { readonly autoReloadAll: boolean },
  problems: Set<string>,
): KindRules {
  const deciding = [keys.named[kind], keys.auto, keys.typedAuto[kind], keys.search];
  // One place decides: the first that says anything about resources of this kind.
  const source = sources.find((annotations) => deciding.some((key) => annotations[key] !== undefined)) ?? {};
  const named = namePatterns(source[keys.named[kind]] ?? "");
  for (const problem of named.problems) problems.add(`annotation ${keys.named[kind]}: ${problem}`);
  const auto = source[keys.auto] ?? "";
  const typedAuto = source[keys.typedAuto[kind]] ?? "";
  checkBoolean(keys.auto, auto, problems);
  checkBoolean(keys.typedAuto[kind], typedAuto, problems);
  checkLiteral(keys.search, source[keys.search], problems);
  return {
    named,
    excluded: new Set(sources.flatMap((annotations) => namesIn(annotations[keys.excluded[kind]]))),
    searches: source[keys.search] === "true",
    isAuto:
      parseBoolean(auto) === true ||
      parseBoolean(typedAuto) === true ||
      (auto === "" && typedAuto === "" && autoReloadAll),
  };
}

const noRules: KindRules = {
  named: namePatterns(""),
  excluded: new Set(),
  searches: false,
  isAuto: false,
};

function namesIn(list: string | undefined): readonly string[] {
  return (list ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function checkBoolean(key: string, value: string, problems: Set<string>): void {
  if (value !== "" && parseBoolean(value) === undefined)
    problems.add(`annotation ${key}: ${JSON.stringify(value)} counts as "false"; write "true" or "false"`);
}

/** Upstream takes these values as they are: `True` is not `true`. */
function checkLiteral(key: string, value: string | undefined, problems: Set<string>): void {
  if (value !== undefined && value !== "" && value !== "true" && value !== "false")
    problems.add(`annotation ${key}: ${JSON.stringify(value)} has no effect; write "true" or "false"`);
}
