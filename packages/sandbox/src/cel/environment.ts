import { Environment } from "@marcbachmann/cel-js";
import { Budget } from "./budget.ts";
import { authorizerLibrary } from "./functions/authorizer.ts";
import { namespaced } from "./functions/library.ts";
import { listsLibrary, setFunctions } from "./functions/lists.ts";
import { namedFormatsLibrary } from "./functions/named-formats.ts";
import { networkLibrary } from "./functions/network.ts";
import { quantitiesLibrary } from "./functions/quantities.ts";
import { stringsLibrary } from "./functions/strings.ts";
import { twoVariableLibrary } from "./functions/two-variables.ts";
import { urlsLibrary } from "./functions/urls.ts";
import { versionsLibrary } from "./functions/versions.ts";

/** Of the evaluation that runs now: expressions never wait, so there is at most one. */
export const budget: Budget = new Budget();

const limits = { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 10_000, maxMapEntries: 10_000 };

/** Runs expressions on values without declared types; whether they fit is found out before, by checking. */
export const evaluation: Environment = withLibraries(
  new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits,
  }),
);

/** What the checkers of all schemas begin with. */
const checking = withLibraries(new Environment({ enableOptionalTypes: true, limits }));

/**
 * The evaluator does not look into the argument of `has`. Checked expressions therefore call this function instead,
 * whose name is as long, so that places in the text stay the same.
 */
export const checkedHas = "hAs";
checking.registerFunction(`${checkedHas}(dyn): bool`, () => true, { async: false });

export function checkingEnvironment(): Environment {
  return checking.clone();
}

/** Functions that exist at all, with any arguments. */
export const knownFunctions: ReadonlySet<string> = new Set(
  checking.getDefinitions().functions.map(({ name }) => name),
);

function withLibraries(environment: Environment): Environment {
  const libraries = [
    stringsLibrary,
    listsLibrary,
    quantitiesLibrary,
    networkLibrary,
    urlsLibrary,
    namedFormatsLibrary,
    versionsLibrary,
    authorizerLibrary,
    namespaced("sets", "SetsNamespace", setFunctions),
    twoVariableLibrary(budget),
  ];
  for (const library of libraries) library(environment);
  return environment;
}
