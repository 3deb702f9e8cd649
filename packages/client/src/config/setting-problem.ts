/** Why a setting cannot be used, and what to do about it. Never quotes a value that could hold a secret. */
export class SettingProblem extends Error {
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(problem);
    this.advice = advice;
  }
}
