const areas = [
  ...[
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Brazil",
    "Canada",
    "Chile",
  ],
  ...["Europe", "Indian", "Mexico", "Pacific", "US"],
];

const places = "(/[A-Z][a-z][A-Za-z]*([_-][A-Za-z]+)*)+";

/** Names without an area, or whose place is an abbreviation. Kubernetes accepts them as well. */
const others = [
  ...["Etc/GMT([+-]?[0-9]+)?", "Etc/(Greenwich|UCT|UTC|Universal|Zulu)", "Australia/(ACT|LHI|NSW)"],
  ...["CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "Factory", "GB", "GB-Eire"],
  ...["GMT([+-]?0)?", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel", "Jamaica", "Japan"],
  ...["Kwajalein", "Libya", "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT", "Poland"],
  ...["Portugal", "ROC", "ROK", "Singapore", "Turkey", "UCT", "UTC", "Universal", "W-SU", "WET", "Zulu"],
];

/**
 * The form of the names of time zones, in RE2's syntax. API servers read them from files, whose names have upper and lower
 * case; a name in another case is refused with the CronJob.
 */
export const timeZonePattern: string = `^((${areas.join("|")})${places}|${others.join("|")})$`;
