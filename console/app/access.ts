import { api } from './data/api.ts'
import { useData } from './data/cache.ts'
import { type Organization, type Role, session } from './data/session.ts'
import { usePlace } from './router.ts'
import type { Module } from './screens.ts'
import { useStore } from './store.ts'

interface Plans {
  modules: { module: Module; enabled: boolean }[]
  data: { name: string; modules: Module[]; current: boolean }[]
}

/** What somebody may do in the organization of the address, and the reason where they may not. */
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
  const { data } = useData(organizationId === undefined ? undefined : 'plans', (signal) =>
    api.get<Plans>('/v1/billing/plans', {}, signal),
  )
  const organizations = who.state === 'in' ? who.person.organizations : []
  const organization = organizations.find(({ id }) => id === organizationId)
  const role = organization?.role ?? 'member'
  return {
    organization,
    role,
    isAdministrator: role === 'administrator',
    reason({ role: needed, module }) {
      if (needed === 'administrator' && role !== 'administrator') return 'Only administrators may do this'
      const isOff =
        module !== undefined && data?.modules.find((one) => one.module === module)?.enabled === false
      return isOff ? `The plan of this organization does not hold ${MODULE_WORDS[module]}` : undefined
    },
  }
}
