import { expect, it } from "vitest";
import { type Declaration, DeclarationReader } from "./declarations.ts";

/** What `index.d.ts` of these files exports. Modules of packages are outside. */
function exportsOf(files: Readonly<Record<string, string>>): readonly Declaration[] {
  const reader = new DeclarationReader({
    read: (file) => {
      const text = files[file];
      if (text === undefined) throw new Error(`${file} does not exist`);
      return text;
    },
    resolve: (specifier) =>
      specifier.startsWith("./") ? specifier.slice(2).replace(/\.ts$/, ".d.ts") : undefined,
  });
  return reader.exportsOf("index.d.ts");
}

function textsOf(files: Readonly<Record<string, string>>): readonly string[] {
  return exportsOf(files).flatMap(({ texts }) => texts);
}

it("lists declarations sorted by name, without comments and `declare`", () => {
  const text = `
    /** B. */
    export declare const b: string;
    export interface A {
        /** Of A. */
        readonly x: number; // said
    }
    declare const hidden: number;
  `;
  expect(exportsOf({ "index.d.ts": text })).toEqual([
    { name: "A", texts: ["interface A {\n        readonly x: number; \n    }"] },
    { name: "b", texts: ["const b: string;"] },
  ]);
});

it("follows exports and imports to the declaration", () => {
  const files = {
    "index.d.ts": `
      export { a } from "./a.ts";
      export type { C } from "./a.ts";
      import { d } from "./d.ts";
      export { d };
    `,
    "a.d.ts": `export declare function a(): void; export type { C } from "./c.ts";`,
    "c.d.ts": `export type C = "c";`,
    "d.d.ts": `declare const d: 1; export { d };`,
  };
  expect(textsOf(files)).toEqual([`type C = "c";`, "function a(): void;", "const d: 1;"]);
});

it("follows the export of all names, also through several modules", () => {
  const files = {
    "index.d.ts": `export * from "./a.ts";`,
    "a.d.ts": `export * from "./b.ts"; export declare const a: 1;`,
    "b.d.ts": "export declare const b: 2;",
  };
  expect(textsOf(files)).toEqual(["const a: 1;", "const b: 2;"]);
});

it("keeps every declaration of a name: overloads, and a value and a type", () => {
  const text = `
    export declare function f(a: string): void;
    export declare function f(a: number): void;
    export declare const K: { a: 1 };
    export type K = string;
  `;
  expect(exportsOf({ "index.d.ts": text })).toEqual([
    { name: "K", texts: ["const K: { a: 1 };", "type K = string;"] },
    { name: "f", texts: ["function f(a: string): void;", "function f(a: number): void;"] },
  ]);
});

it("shows the declaration behind an alias", () => {
  const alias = "// b is exported as an alias of:\nconst a: 1;";
  expect(textsOf({ "index.d.ts": "declare const a: 1; export { a as b };" })).toEqual([alias]);
  const files = { "index.d.ts": `export { a as b } from "./a.ts";`, "a.d.ts": "export declare const a: 1;" };
  expect(textsOf(files)).toEqual([alias]);
});

it("leaves names of other packages as they are", () => {
  const text = `export { z } from "zod"; export * as ns from "ns"; export * from "all";`;
  expect(textsOf({ "index.d.ts": text })).toEqual([
    `export * from "all";`,
    `export * as ns from "ns";`,
    `export { z } from "zod";`,
  ]);
});

it("leaves out what only the class itself can use", () => {
  const text = `export declare class A {
    #private;
    private a;
    protected b: string;
    c(): void;
}`;
  expect(textsOf({ "index.d.ts": text })).toEqual(["class A {\n    protected b: string;\n    c(): void;\n}"]);
});

it("refuses a name that the other module does not export, and a file that does not parse", () => {
  const files = { "index.d.ts": `export { a } from "./a.ts";`, "a.d.ts": "export {};" };
  expect(() => exportsOf(files)).toThrow("a.d.ts does not export a");
  expect(() => exportsOf({ "index.d.ts": "export interface {" })).toThrow("parse index.d.ts");
  expect(() => exportsOf({ "index.d.ts": "export { a };" })).toThrow("index.d.ts");
});
