const isDubious = /[;%]/;
/** A percent sign that begins no escape, or what once was a separator. */
const isBroken = /;|%(?![0-9A-Fa-f]{2})/;

/** The server leaves out the parameters that it cannot read, and does as if they were not there. */
export function parseQuery(text: string): URLSearchParams {
  if (!isDubious.test(text)) return new URLSearchParams(text);
  const readable = text.split("&").filter((parameter) => !isBroken.test(parameter));
  return new URLSearchParams(readable.join("&"));
}
