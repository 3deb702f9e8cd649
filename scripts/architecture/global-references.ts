import { type BindingPattern, type Node, type ParamPattern, type Program, Visitor } from "oxc-parser";

/** A place where a file refers to a global by its name. */
export interface GlobalReference {
  readonly name: string;
  readonly start: number;
}

/**
 * Every reference to one of the given globals, called or not. A name that the file declares anywhere is taken for
 * its own everywhere.
 */
export function globalReferences(program: Program, globals: ReadonlySet<string>): readonly GlobalReference[] {
  const declared = declaredNames(program);
  const references: GlobalReference[] = [];
  const names = namesOnly(program);
  new Visitor({
    Identifier: (node) => {
      const { name, start } = node;
      if (globals.has(name) && !declared.has(name) && !names.has(node)) references.push({ name, start });
    },
  }).visit(program);
  return references;
}

/** The identifiers that name a member, a type or a part of a module, and so refer to no variable. */
function namesOnly(program: Program): ReadonlySet<Node> {
  const names = new Set<Node>();
  const nameKey = ({ key, computed }: { readonly key: Node; readonly computed: boolean }): void => {
    if (!computed) names.add(key);
  };
  const nameParameters = ({ params }: { readonly params: readonly ParamPattern[] }): void => {
    for (const param of params) names.add(param);
  };
  new Visitor({
    MemberExpression: ({ property, computed }) => nameKey({ key: property, computed }),
    Property: nameKey,
    MethodDefinition: nameKey,
    PropertyDefinition: nameKey,
    TSAbstractMethodDefinition: nameKey,
    TSAbstractPropertyDefinition: nameKey,
    TSPropertySignature: nameKey,
    TSMethodSignature: (node) => {
      nameKey(node);
      nameParameters(node);
    },
    TSCallSignatureDeclaration: nameParameters,
    TSConstructSignatureDeclaration: nameParameters,
    TSFunctionType: nameParameters,
    TSConstructorType: nameParameters,
    TSTypeQuery: ({ exprName }) => void names.add(exprName),
    TSQualifiedName: ({ left, right }) => void names.add(left).add(right),
    ImportSpecifier: ({ imported }) => void names.add(imported),
    ExportSpecifier: ({ local, exported }) => void names.add(local).add(exported),
  }).visit(program);
  return names;
}

function declaredNames(program: Program): ReadonlySet<string> {
  const declared = new Set<string>();
  const declare = (pattern: ParamPattern | BindingPattern | null): void => {
    for (const name of boundNames(pattern)) declared.add(name);
  };
  const declareFunction = (node: {
    readonly id?: BindingPattern | null;
    readonly params: ParamPattern[];
  }): void => [node.id ?? null, ...node.params].forEach(declare);
  new Visitor({
    VariableDeclarator: ({ id }) => declare(id),
    FunctionDeclaration: declareFunction,
    FunctionExpression: declareFunction,
    ArrowFunctionExpression: ({ params }) => params.forEach(declare),
    ImportSpecifier: ({ local }) => declare(local),
  }).visit(program);
  return declared;
}

function boundNames(pattern: ParamPattern | BindingPattern | null): readonly string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    case "TSParameterProperty":
      return boundNames(pattern.parameter);
    case "ArrayPattern":
      return pattern.elements.flatMap(boundNames);
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => boundNames(each.type === "Property" ? each.value : each));
    default:
      return [];
  }
}
