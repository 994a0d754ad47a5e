import type { SetupLink, SetupLinkPurpose } from '#sdk/postern.ts'
import { useMay } from '../../app/access.ts'
import { outdate } from '../../app/data/cache.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'
import { postern } from '../../app/data/postern.ts'

/** The setup links of the organization, newest first, as they change: the open ones, or all. Reads nothing without the right to read them. */
export function useSetupLinks(onlyOpen: boolean): Listed<SetupLink> {
  const mayRead = useMay()('sign_in:read')
  useLive(['setupLink'], () => outdate('setup-links'))
  return useList(mayRead ? `setup-links ${onlyOpen}` : undefined, (how) =>
    postern.setupLinks.list({ onlyOpen, limit: 50 }, how),
  )
}

export const PURPOSES: Record<SetupLinkPurpose, { label: string; note: string }> = {
  domains: { label: 'Domains', note: 'claim them and prove them by DNS records' },
  provider: { label: 'Identity provider', note: 'add one by OpenID Connect or SAML, and try a sign-in' },
  directory: { label: 'Directory', note: 'create one token for SCIM' },
}

/** How each state is shown. */
export const STATES: Record<SetupLink['status'], { tone: 'good' | 'wait' | 'plain'; words: string }> = {
  pending: { tone: 'wait', words: 'not opened' },
  opened: { tone: 'wait', words: 'opened' },
  finished: { tone: 'good', words: 'finished' },
  revoked: { tone: 'plain', words: 'revoked' },
  expired: { tone: 'plain', words: 'expired' },
}

/** Whether a link can still be used. */
export const isOpen = ({ status }: Pick<SetupLink, 'status'>) => status === 'pending' || status === 'opened'
