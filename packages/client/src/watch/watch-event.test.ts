import { describe, expect, it } from "vitest";
import { MalformedResponseError } from "../errors.ts";
import { parseWatchEvent } from "./watch-event.ts";

const parse = (line: string) => parseWatchEvent(Buffer.from(line), "watch pods");
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };

describe("a line of a watch", () => {
  it.each(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"])("is read as %s", (type) => {
    expect(parse(JSON.stringify({ type, object: pod }))).toEqual({ type, object: pod });
  });

  it("is read as an error with its Status", () => {
    const status = { apiVersion: "v1", kind: "Status", code: 410, reason: "Expired" };
    expect(parse(JSON.stringify({ type: "ERROR", object: status }))).toEqual({ type: "ERROR", status });
  });

  it.each([
    ["half a document", '{"type":"ADDED","obj'],
    ["a list", "[]"],
    ["an unknown type", JSON.stringify({ type: "GONE", object: pod })],
    ["an object without metadata", JSON.stringify({ type: "ADDED", object: { kind: "Pod" } })],
    ["an error without a Status", JSON.stringify({ type: "ERROR", object: pod })],
  ])("is refused if it is %s", (_, line) => {
    expect(() => parse(line)).toThrow(MalformedResponseError);
  });
});
