import { parseApiVersion } from "@keelson/core";
import { messageTable } from "./generated/message-table.ts";

/** A field of a message, and how it appears in JSON. */
export interface FieldForm {
  readonly name: string;
  readonly type: string;
  readonly isList: boolean;
  readonly isMap: boolean;
  readonly isInlined: boolean;
}

/** The fields of a message by number. */
export type MessageForm = ReadonlyMap<number, FieldForm>;

let forms: ReadonlyMap<string, string> | undefined;
const parsedForms = new Map<string, MessageForm>();

/** The form of a message by name; undefined for kinds that have none. */
export function formOf(name: string): MessageForm | undefined {
  const known = parsedForms.get(name);
  if (known !== undefined) return known;
  forms ??= new Map(
    messageTable.split("\n").map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1)];
    }),
  );
  const text = forms.get(name);
  if (text === undefined) return undefined;
  const form = new Map(
    text
      .split(",")
      .filter((one) => one !== "")
      .map(fieldForm),
  );
  parsedForms.set(name, form);
  return form;
}

function fieldForm(text: string): [number, FieldForm] {
  const [number = "", fieldName = "", type = ""] = text.split(" ");
  return [
    Number(number),
    {
      name: fieldName.replace(/^\^/, ""),
      type: type.replace(/^[*%]/, ""),
      isList: type.startsWith("*"),
      isMap: type.startsWith("%"),
      isInlined: fieldName.startsWith("^"),
    },
  ];
}

/** The name of the message of a kind; its package is the first part of the group. */
export function messageNameOf(apiVersion: string, kind: string): string {
  if (kind === "DeleteOptions") return "meta.v1.DeleteOptions";
  const { group, version } = parseApiVersion(apiVersion);
  if (group === "" && formOf(`core.${version}.${kind}`) === undefined) return `meta.${version}.${kind}`;
  return `${group === "" ? "core" : (packages[group] ?? group.split(".")[0])}.${version}.${kind}`;
}

const packages: Readonly<Record<string, string>> = { "flowcontrol.apiserver.k8s.io": "flowcontrol" };
