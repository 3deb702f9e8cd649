export { ApiError } from "./status/api-error.ts";
export type { Journal, JournalEntry, StoredEntry, StoreSnapshot } from "./store/journal.ts";
export { replay } from "./store/journal.ts";
