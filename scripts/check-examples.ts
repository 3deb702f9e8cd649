// Compiles the TypeScript in the READMEs as if each block were a file of its own: an example that does not compile
// misleads everyone who copies it.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = `${root}.examples`;

/** The blocks of a Markdown text that are TypeScript. */
function examplesIn(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map((block) => block[1] ?? "");
}

function writeExamples(): number {
  const readmes = globSync(["README.md", "{packages,operators}/*/README.md"], { cwd: root });
  const examples = readmes.flatMap((file) =>
    examplesIn(readFileSync(`${root}${file}`, "utf8")).map((text, index) => ({
      file: `${file.replaceAll("/", "-").toLowerCase()}-${index + 1}.ts`,
      text: `${text}\nexport {};\n`,
    })),
  );
  for (const { file, text } of examples) writeFileSync(`${folder}/${file}`, text);
  return examples.length;
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const count = writeExamples();
// An example may show what it does not use.
const project = {
  extends: "../tsconfig.json",
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  include: ["*.ts"],
};
writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(project));
const { status } = spawnSync("tsc", ["--noEmit", "--project", folder], { stdio: "inherit" });
rmSync(folder, { recursive: true, force: true });
if (status === 0) console.log(`examples: ${count} in the READMEs compile`);
process.exitCode = status ?? 1;
