/** The status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** By names in lower case; one that came several times has its values as a list. */
  readonly headers: Readonly<Record<string, string>>;
}

const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: |$)/;
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*?)[ \t]*$/s;

/** Reads the head of an HTTP/1.1 response, without the empty line at its end. Throws a MalformedHttpError. */
export function parseResponseHead(text: string): ResponseHead {
  const [first = "", ...lines] = text.split("\r\n");
  const status = statusLine.exec(first)?.[1];
  if (status === undefined)
    throw new MalformedHttpError(`it begins with ${JSON.stringify(first.slice(0, 40))}`);
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const [, name, value = ""] = headerLine.exec(line) ?? [];
    if (name === undefined) throw new MalformedHttpError("a line of its head is no header");
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return { status: Number(status), headers: { ...headers } };
}

/** The bytes of a response are not HTTP/1.1; the connection is of no further use. */
export class MalformedHttpError extends Error {
  readonly code = "EPROTO";

  constructor(problem: string) {
    super(`the response is not HTTP/1.1: ${problem}`);
  }
}
