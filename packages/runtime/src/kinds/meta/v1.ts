// Generated from core's kinds by `npm run generate:kinds`; do not edit.
export * from "@keelson/core/kinds/meta/v1";
