import type { PlanPage } from '#sdk/postern.ts'
import { useData } from './data/cache.ts'
import { postern } from './data/postern.ts'
import { type Organization, type Permission, rights, session } from './data/session.ts'
import { usePlace } from './router.ts'
import type { Module } from './screen.ts'
import { useStore } from './store.ts'

/** What the person may do in the organization of the address, and the reason for what they may not do. */
export interface Access {
  organization: Organization | undefined
  /** Whether their role has the permission. */
  may: (permission: Permission) => boolean
  /** Why they may not do what asks for that permission or module; undefined where they may. */
  reason: (needs: { permission?: Permission | undefined; module?: Module | undefined }) => string | undefined
}

const MODULE_WORDS: Record<Module, string> = {
  webhooks: 'webhooks',
  connections: 'connections',
  files: 'files',
  knowledge: 'knowledge bases',
  agents: 'agents',
}

/** Whether the role of the person has a permission. Until a token has said so, an attempt is the server's to refuse. */
export function useMay(): Access['may'] {
  const held = useStore(rights)[usePlace().organizationId ?? '']
  return (permission) => held?.includes(permission) !== false
}

export function useAccess(): Access {
  const who = useStore(session)
  const { organizationId } = usePlace()
  const may = useMay()
  const { data } = useData(
    organizationId !== undefined && may('billing:read') ? 'plans' : undefined,
    (how) => postern.billing.plans(how).page() as Promise<PlanPage>,
  )
  const organizations = who.state === 'in' ? who.person.organizations : []
  return {
    organization: organizations.find(({ id }) => id === organizationId),
    may,
    reason({ permission, module }) {
      if (permission !== undefined && !may(permission)) return `Your role does not permit ${permission}`
      const isOff =
        module !== undefined && data?.modules.find((one) => one.module === module)?.enabled === false
      return isOff ? `The plan of this organization does not include ${MODULE_WORDS[module]}` : undefined
    },
  }
}
