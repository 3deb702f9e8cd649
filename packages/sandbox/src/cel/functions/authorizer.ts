import type { AccessDecision, AccessRequest } from "../../auth/access.ts";
import { type Library, libraryOf } from "./library.ts";

/** Whether the user of the request may do something. */
export type AskAccess = (request: AccessRequest) => AccessDecision;

/**
 * What an expression has said so far of what it asks for; steps of
 * `authorizer.group("").resource("pods").check("get")`.
 */
abstract class Question<T> {
  readonly ask: AskAccess;
  readonly about: T;

  constructor(ask: AskAccess, about: T) {
    this.ask = ask;
    this.about = about;
  }
}

interface Target {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export class CelAuthorizer extends Question<undefined> {}
class PathCheck extends Question<string> {}
class GroupCheck extends Question<string> {}
class ResourceCheck extends Question<Target> {}

class CelDecision {
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    this.decision = decision;
  }
}

const types = {
  "kubernetes.authorization.Authorizer": CelAuthorizer,
  "kubernetes.authorization.PathCheck": PathCheck,
  "kubernetes.authorization.GroupCheck": GroupCheck,
  "kubernetes.authorization.ResourceCheck": ResourceCheck,
  "kubernetes.authorization.Decision": CelDecision,
};

const prefix = "kubernetes.authorization";
const decision = `${prefix}.Decision`;
const resourceCheck = `${prefix}.ResourceCheck`;

const functions = libraryOf([
  [
    `${prefix}.Authorizer.path(string): ${prefix}.PathCheck`,
    ({ ask }: CelAuthorizer, path: string) => new PathCheck(ask, path),
  ],
  [
    `${prefix}.Authorizer.group(string): ${prefix}.GroupCheck`,
    ({ ask }: CelAuthorizer, group: string) => new GroupCheck(ask, group),
  ],
  [
    `${prefix}.GroupCheck.resource(string): ${resourceCheck}`,
    ({ ask, about }: GroupCheck, resource: string) => new ResourceCheck(ask, { group: about, resource }),
  ],
  [
    `${resourceCheck}.subresource(string): ${resourceCheck}`,
    (check: ResourceCheck, subresource: string) => narrowed(check, { subresource }),
  ],
  [
    `${resourceCheck}.namespace(string): ${resourceCheck}`,
    (check: ResourceCheck, namespace: string) => narrowed(check, { namespace }),
  ],
  [
    `${resourceCheck}.name(string): ${resourceCheck}`,
    (check: ResourceCheck, name: string) => narrowed(check, { name }),
  ],
  [
    `${resourceCheck}.check(string): ${decision}`,
    ({ ask, about }: ResourceCheck, verb: string) => new CelDecision(ask({ verb, ...about })),
  ],
  [
    `${prefix}.PathCheck.check(string): ${decision}`,
    ({ ask, about }: PathCheck, verb: string) => new CelDecision(ask({ verb, path: about })),
  ],
  [`${decision}.allowed(): bool`, (one: CelDecision) => one.decision.allowed],
  [`${decision}.reason(): string`, (one: CelDecision) => one.decision.reason],
  [`${decision}.errored(): bool`, () => false],
  [`${decision}.error(): string`, () => ""],
]);

export const authorizerLibrary: Library = (environment) => {
  for (const [name, ctor] of Object.entries(types)) environment.registerType(name, { ctor, fields: {} });
  functions(environment);
};

function narrowed({ ask, about }: ResourceCheck, more: Partial<Target>): ResourceCheck {
  return new ResourceCheck(ask, { ...about, ...more });
}
