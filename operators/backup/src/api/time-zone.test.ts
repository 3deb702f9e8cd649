import { describe, expect, it } from "vitest";
import { timeZonePattern } from "./time-zone.ts";

const pattern = new RegExp(timeZonePattern);
const names = [
  ...Intl.supportedValuesOf("timeZone"),
  ...["Etc/UTC", "Etc/GMT+12", "Etc/GMT-0", "Etc/GMT0", "Antarctica/McMurdo", "Antarctica/DumontDUrville"],
  ...["America/North_Dakota/New_Salem", "America/Port-au-Prince", "Europe/Isle_of_Man", "US/East-Indiana"],
  ...["Chile/EasterIsland", "Brazil/DeNoronha", "Australia/NSW", "W-SU", "NZ-CHAT", "EST5EDT", "GMT+0"],
];

describe("the pattern of time zones", () => {
  it("matches every name", () => {
    expect(names.filter((name) => !pattern.test(name))).toEqual([]);
  });

  it("matches no name in another case", () => {
    const changed = names.flatMap((name) => [name.toLowerCase(), name.toUpperCase()]);
    expect(changed.filter((name) => pattern.test(name) && !names.includes(name))).toEqual([]);
  });

  it.each(["Local", "", "Europe", "Europe/", "../etc/passwd", "posixrules", "Mars/Olympus"])(
    "does not match %j",
    (name) => expect(pattern.test(name)).toBe(false),
  );
});
