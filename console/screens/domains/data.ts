import type { Domain } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

/** The domains of the organization, oldest first, as they change. Nothing is read where the person may not. */
export function useDomains(): Data<readonly Domain[]> {
  const mayRead = useMay()('sign_in:read')
  useLive(['domain'], () => outdate('domains'))
  return useData(
    mayRead ? 'domains' : undefined,
    async (how) => (await postern.domains.list(how).page()).data,
  )
}

/** How each state is shown. */
export const STATES: Record<Domain['status'], { tone: 'good' | 'bad' | 'wait'; words: string }> = {
  pending: { tone: 'wait', words: 'waiting for the record' },
  verified: { tone: 'good', words: 'proven' },
  failing: { tone: 'bad', words: 'record missing' },
  lost: { tone: 'bad', words: 'proof lost' },
}

/** Whether a domain counts as proven. */
export const isProven = ({ status }: Pick<Domain, 'status'>) => status === 'verified' || status === 'failing'

/** Why the last check found no proof. */
export const CAUSES: Record<NonNullable<Domain['reason']>, string> = {
  no_record: 'No record was found',
  other_value: 'The record has another value',
  no_answer: 'The name servers did not answer',
}
