import type { ObjectKey } from "keelson";
import { PostgresError, type PostgresSession } from "./connection.ts";
import { quoteIdentifier, quoteLiteral } from "./quoting.ts";

/** The two roles that log in with the rights of a role, in turns. */
export function loginRolesOf(role: string): readonly [string, string] {
  return [`${role}_a`, `${role}_b`];
}

/** The login role to give a new password: the one that is not in use. */
export function nextLoginRole(role: string, inUse: string | undefined): string {
  const [first, second] = loginRolesOf(role);
  return inUse === first ? second : first;
}

/** A login role as it is to be. */
export interface DesiredLogin {
  /** The role whose rights it has. */
  readonly role: string;
  readonly login: string;
  /** What the server stores of its password. */
  readonly verifier: string;
  readonly sharedSecret: ObjectKey;
}

/**
 * Creates a login role, or gives it another password, in one transaction. Throws a PostgresError if the role whose rights it
 * is to have does not exist, or if the login role exists and is not one of this SharedSecret: then its password is in use
 * elsewhere.
 */
export async function writeLoginRole(session: PostgresSession, desired: DesiredLogin): Promise<void> {
  const exists = await checkRoles(session, desired);
  await session.query("begin");
  for (const statement of statementsFor(desired, exists)) await session.query(statement);
  await session.query("commit");
}

/** Whether the login role exists. */
async function checkRoles(
  session: PostgresSession,
  { role, login, sharedSecret }: DesiredLogin,
): Promise<boolean> {
  const rows = await session.query(
    "select rolname, shobj_description(oid, 'pg_authid') as comment from pg_roles where rolname in ($1, $2)",
    [role, login],
  );
  if (!rows.some(({ rolname }) => rolname === role))
    throw new PostgresError(
      `change role ${login}: role ${role}, whose rights it is to have, does not exist; ` +
        `create it, such as by CREATE ROLE ${quoteIdentifier(role)} NOLOGIN, and grant it what the consumers need`,
    );
  const existing = rows.find(({ rolname }) => rolname === login);
  const comment = commentOf(sharedSecret);
  if (existing !== undefined && existing.comment !== comment)
    throw new PostgresError(
      `change role ${login}: it exists and does not belong to this SharedSecret; choose another role, or give it away by ` +
        `COMMENT ON ROLE ${quoteIdentifier(login)} IS ${quoteLiteral(comment)}`,
    );
  return existing !== undefined;
}

/** Shows people who changes the password, and keeps two SharedSecrets from changing that of one role in turns. */
function commentOf({ namespace, name }: ObjectKey): string {
  return `rotated for SharedSecret ${namespace}/${name}`;
}

function statementsFor(
  { role, login, verifier, sharedSecret }: DesiredLogin,
  exists: boolean,
): readonly string[] {
  const name = quoteIdentifier(login);
  return [
    `${exists ? "alter" : "create"} role ${name} with login inherit password ${quoteLiteral(verifier)} valid until 'infinity'`,
    `grant ${quoteIdentifier(role)} to ${name}`,
    // Its sessions act as the role from the start. So what consumers create belongs to the role, whichever of the two login
    // roles they use, and the other one may change it after the next rotation.
    `alter role ${name} set role = ${quoteLiteral(role)}`,
    `comment on role ${name} is ${quoteLiteral(commentOf(sharedSecret))}`,
  ];
}
