import { describe, expect, test } from "vitest";
import { type AcceptedType, acceptedType, errorType } from "./accepted-type.ts";

function accepted(accept: string, differences: object = {}): AcceptedType {
  return acceptedType({
    headers: { accept },
    query: new URLSearchParams(),
    isWatch: false,
    isCollection: false,
    isCustom: false,
    canTransform: true,
    ...differences,
  });
}

const meta = "v=v1;g=meta.k8s.io";

describe("the accepted media type", () => {
  test.each([
    ["", { format: "json" }],
    ["*/*", { format: "json" }],
    ["application/yaml", { format: "yaml" }],
    ["application/yaml;q=0.5, application/json", { format: "json" }],
    ["application/vnd.kubernetes.protobuf, application/json", { format: "json" }],
    [`application/json;as=Table;${meta},application/json`, { as: "Table", metaVersion: "v1" }],
    [`application/json;as=Table;v=v2;g=meta.k8s.io, application/json`, { format: "json" }],
    [`application/json;as=PartialObjectMetadata;${meta}`, { as: "PartialObjectMetadata" }],
  ])("%j is found", (accept, expected) => {
    expect(accepted(accept)).toMatchObject(expected);
  });

  test("is refused with the message of the router, of custom kinds, and of watches", () => {
    expect(() => accepted("text/html")).toThrow(
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
    expect(() => accepted("text/html", { isCustom: true })).toThrow(
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
    expect(() => accepted("application/yaml", { isWatch: true })).toThrow(
      "only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
    );
    expect(() => accepted(`application/json;as=Table;${meta}`, { canTransform: false })).toThrow(
      "only the following",
    );
  });

  test("is indented on request, and for user agents of people", () => {
    expect(accepted("", { headers: { "user-agent": "curl/8" } }).isPretty).toBe(true);
    const query = new URLSearchParams("pretty=0");
    expect(accepted("", { headers: { "user-agent": "curl/8" }, query }).isPretty).toBe(false);
    expect(accepted("", { query: new URLSearchParams("pretty=true") }).isPretty).toBe(true);
  });
});

describe("how a refusal is written", () => {
  const written = (accept: string, query = ""): object => errorType({ accept }, new URLSearchParams(query));

  test("is the first form that is taken of a Status", () => {
    expect(written("")).toEqual({ format: "json", isPretty: false });
    expect(written("text/html, application/yaml")).toEqual({ format: "yaml", isPretty: false });
    expect(written(`application/json;as=Table;${meta},application/json`)).toEqual(written(""));
  });

  test("is indented on request, and if no accepted type is available", () => {
    const forPeople = { format: "json", isPretty: true };
    expect(written("", "pretty=true")).toEqual(forPeople);
    expect(written("application/json;pretty=1")).toEqual(forPeople);
    expect(written(`application/json;as=Table;${meta}`, "pretty=false")).toEqual(forPeople);
    expect(written("text/html")).toEqual(forPeople);
  });
});
