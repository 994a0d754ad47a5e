import type { PlanPage } from '#sdk/postern.ts'
import { useData } from './data/cache.ts'
import { postern } from './data/postern.ts'
import { type Organization, type Role, session } from './data/session.ts'
import { usePlace } from './router.ts'
import type { Module } from './screen.ts'
import { useStore } from './store.ts'

/** What the person may do in the organization of the address, and the reason for what they may not do. */
export interface Access {
  organization: Organization | undefined
  role: Role
  isAdministrator: boolean
  /** Why they may not do what asks for that role or module; undefined where they may. */
  reason: (needs: { role?: Role | undefined; module?: Module | undefined }) => string | undefined
}

const MODULE_WORDS: Record<Module, string> = {
  webhooks: 'webhooks',
  connections: 'connections',
  files: 'files',
  knowledge: 'knowledge bases',
  agents: 'agents',
}

export function useAccess(): Access {
  const who = useStore(session)
  const { organizationId } = usePlace()
  const { data } = useData(
    organizationId === undefined ? undefined : 'plans',
    (how) => postern.billing.plans(how).page() as Promise<PlanPage>,
  )
  const organizations = who.state === 'in' ? who.person.organizations : []
  const organization = organizations.find(({ id }) => id === organizationId)
  const role = organization?.role === 'administrator' ? 'administrator' : 'member'
  return {
    organization,
    role,
    isAdministrator: role === 'administrator',
    reason({ role: needed, module }) {
      if (needed === 'administrator' && role !== 'administrator') return 'Only administrators can do this'
      const isOff =
        module !== undefined && data?.modules.find((one) => one.module === module)?.enabled === false
      return isOff ? `The plan of this organization does not include ${MODULE_WORDS[module]}` : undefined
    },
  }
}
