/** Told what the API server remarks on a call that it carried out, such as a field that does not exist. */
export type OnServerWarning = (text: string, operation: string) => void;

const oneWarning = /\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

/** The texts of a `Warning` header, which may hold several. */
export function warningsIn(header: string | undefined): readonly string[] {
  return [...(header ?? "").matchAll(oneWarning)].map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}
