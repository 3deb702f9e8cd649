/** Whether it is a name of the time zone database. Names are case-sensitive, and Intl knows more of them. */
export function isTimeZone(name: string): boolean {
  if (name === "" || name === "UTC" || name === "Factory") return true;
  if (!hasProperCase(name) || onlyOfIntl.has(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // Intl throws for names that it does not know.
    return false;
  }
}

/** `America/Port-au-Prince`, `Etc/GMT+1`, `EST5EDT`; not `america/new_york`. */
function hasProperCase(name: string): boolean {
  const parts = name.split("/");
  return parts.every((part) => isAbbreviation(part) || part.split(/[_-]/).every(isWord));
}

function isAbbreviation(part: string): boolean {
  return abbreviations.has(part) || /^GMT[+-]?\d{0,2}$/.test(part);
}

function isWord(word: string): boolean {
  return /^[A-Z][a-z]+$/.test(word) || unusualWords.has(word);
}

/** Parts of names that are not words with a capital letter. */
const abbreviations: ReadonlySet<string> = new Set([
  ...["CET", "CST6CDT", "EET", "EST", "EST5EDT", "GB", "GB-Eire", "HST", "MET", "MST", "MST7MDT"],
  ...["NZ", "NZ-CHAT", "PRC", "PST8PDT", "ROC", "ROK", "UCT", "US", "UTC", "W-SU", "WET"],
  ...["ACT", "LHI", "NSW"],
]);

const unusualWords: ReadonlySet<string> = new Set([
  ...["of", "es", "au", "IN"],
  ...["McMurdo", "DumontDUrville", "BajaNorte", "BajaSur", "ComodRivadavia", "DeNoronha", "EasterIsland"],
]);

/** Old abbreviations of Java. */
const onlyOfIntl: ReadonlySet<string> = new Set(["ACT"]);
