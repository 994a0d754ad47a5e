import type { Account } from './accounts.ts'

/** The displayed name of a person: given and family name, or the e-mail address without them. */
export function fullName(account: Pick<Account, 'first_name' | 'last_name' | 'email'>): string {
  const { first_name: first, last_name: last, email } = account
  return `${first ?? ''} ${last ?? ''}`.trim() || email
}
