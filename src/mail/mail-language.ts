import type { Id } from '../core/id.ts'
import type { Language } from '../core/language.ts'
import type { Tx } from '../db/database.ts'

/** The recipient of a mail, and the sources of its language. */
interface Recipient {
  /** The normalized address. */
  to: string
  suggested: Language | undefined
  /**
   * The organization that causes the mail. Without one, the first joined organization of the recipient with a language
   * counts.
   */
  organizationId: Id<'organization'> | undefined
}

/**
 * The chosen language of a mail: that of its recipient, its sender, or else the organization.
 * @returns undefined without a choice: the installation's language applies then
 */
export async function chosenLanguage(
  tx: Tx,
  { to, suggested, organizationId }: Recipient,
): Promise<Language | undefined> {
  const account = await tx
    .selectFrom('account')
    .select(['id', 'language'])
    .where('email', '=', to)
    .executeTakeFirst()
  if (account !== undefined && account.language !== null) return account.language
  if (suggested !== undefined) return suggested
  const organizations = tx.selectFrom('organization').select('language').where('language', 'is not', null)
  if (organizationId !== undefined)
    return (await organizations.where('id', '=', organizationId).executeTakeFirst())?.language ?? undefined
  if (account === undefined) return undefined
  const own = await organizations
    .innerJoin('membership', 'membership.organization_id', 'organization.id')
    .where('membership.account_id', '=', account.id)
    .orderBy('membership.created_at')
    .orderBy('organization.id')
    .limit(1)
    .executeTakeFirst()
  return own?.language ?? undefined
}
