import type { Invitation, Member } from '#sdk/postern.ts'
import { amend, outdate } from '../../app/data/cache.ts'
import { type Rows, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'
import { textOf } from '../../app/words.ts'

/** The addresses of a text, however they stand there: a column, a list, or `Ada <ada@acme.test>`. */
export function addressesOf(text: string): string[] {
  const found = text.match(/[^\s,;<>"'()]+@[^\s,;<>"'()]+/g) ?? []
  return [...new Map(found.map((one) => [one.toLowerCase(), one])).values()]
}

export type Filter = Record<'status' | 'email', string>

export function useInvitations(filter: Filter) {
  const email = addressesOf(filter.email)[0]
  const query = {
    limit: 50,
    ...(filter.status === '' ? {} : { status: filter.status as Invitation['status'] }),
    ...(email === undefined ? {} : { email }),
  }
  const key = `invitations ${JSON.stringify(query)}`
  const list = useList<Invitation>(key, (how) => postern.invitations.list(query, how))
  useLive(['invitation'], ({ event, data }) => {
    const changed = data as Invitation
    if (event === 'gap' || !list.rows.some(({ id }) => id === changed.id)) return outdate('invitations ')
    amend<Rows<Invitation>>(key, (known) => ({
      ...known,
      rows: known.rows.map((row) => (row.id === changed.id ? changed : row)),
    }))
  })
  return list
}

/** The name of a person; the address where no name was given. */
export function nameOf({ firstName, lastName, email }: Pick<Member, 'firstName' | 'lastName' | 'email'>) {
  return [firstName, lastName].map(textOf).join(' ').trim() || textOf(email)
}
