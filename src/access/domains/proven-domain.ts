import { domainOf } from '../../core/text/email.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'

/**
 * The organization that has proven the domain of an address, at most one per installation. Subdomains need their own proof.
 * @param email normalised
 */
export async function findDomainOwner(
  db: Db | Tx,
  email: string,
): Promise<Tables['proven_domain'] | undefined> {
  return db.selectFrom('proven_domain').selectAll().where('name', '=', domainOf(email)).executeTakeFirst()
}
