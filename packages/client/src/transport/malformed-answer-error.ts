/** What came is no HTTP/1.1; the connection is of no further use. */
export class MalformedAnswerError extends Error {
  readonly code = "EPROTO";

  constructor(problem: string) {
    super(`the answer is not HTTP/1.1: ${problem}`);
  }
}
