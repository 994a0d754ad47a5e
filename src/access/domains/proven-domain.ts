import { domainOf } from '../../core/text/email.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'

/**
 * Which organization has proven the domain of an address: one of the installation at most. A domain below a proven one is proven
 * by itself alone.
 * @param email normalised
 */
export async function findDomainOwner(
  db: Db | Tx,
  email: string,
): Promise<Tables['proven_domain'] | undefined> {
  return db.selectFrom('proven_domain').selectAll().where('name', '=', domainOf(email)).executeTakeFirst()
}
