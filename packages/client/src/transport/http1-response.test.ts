import { describe, expect, it } from "vitest";
import { parseResponseHead } from "./http1-response.ts";

describe("the head of an answer", () => {
  it("has a status, and headers by their names in lower case", () => {
    const text = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nAudit-Id:\t a b \r\nX-Empty:";
    expect(parseResponseHead(text)).toEqual({
      status: 200,
      headers: { "content-type": "application/json", "audit-id": "a b", "x-empty": "" },
    });
  });

  it("needs neither a reason nor headers", () => {
    expect(parseResponseHead("HTTP/1.0 404")).toEqual({ status: 404, headers: {} });
  });

  it("joins what is said several times", () => {
    const { headers } = parseResponseHead('HTTP/1.1 200 OK\r\nWarning: 299 - "a"\r\nwarning: 299 - "b"');
    expect(headers).toEqual({ warning: '299 - "a", 299 - "b"' });
  });

  it("may name a header as an object names its prototype", () => {
    const { headers } = parseResponseHead("HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y");
    expect(Object.entries(headers)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });

  it.each([
    "",
    "HTTP/2 200",
    "HTTP/1.1 20",
    "ICY 200 OK",
    "HTTP/1.1 200 OK\r\nno header",
    "HTTP/1.1 200 OK\r\n: x",
  ])("is none in %o", (text) => {
    expect(() => parseResponseHead(text)).toThrow("the response is not HTTP/1.1");
  });
});
