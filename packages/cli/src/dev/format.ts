const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
const invisible = /[\p{Mark}\p{Format}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const steering = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** How many columns of a terminal a text takes that holds nothing which steers it. */
export function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + characterWidth(character), 0);
}

/** On one line, with spaces for characters that control a terminal: any user may write the texts of objects. */
export function oneLine(text: string): string {
  return text.replace(steering, " ").trim();
}

/** The text, or what fits of it and `…`. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const character of text) {
    left -= characterWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

/** The text, shortened or filled up with spaces. */
export function fitted(text: string, width: number): string {
  const short = shorten(text, width);
  return short + " ".repeat(Math.max(0, width - widthOf(short)));
}

function characterWidth(character: string): number {
  if (invisible.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something has been there, in at most four characters for the first 999 days. */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  if (seconds < 2 * minute) return `${seconds}s`;
  if (seconds < 2 * hour) return `${Math.floor(seconds / minute)}m`;
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`;
  return `${Math.floor(seconds / day)}d`;
}

/** How long something took, such as `3.4 s`. */
export function formatTook(tookMs: number): string {
  return `${(tookMs / 1_000).toFixed(1)} s`;
}
