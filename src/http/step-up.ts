import type { FastifyContextConfig } from 'fastify'
import type { Permission } from './permissions.ts'

/**
 * Permissions for dangerous actions: a person with a second factor must have used it within the last ten minutes.
 * Session routes set `stepUp` in their config instead. API keys are exempt.
 */
const STEP_UP: readonly Permission[] = [
  'organization:write',
  'members:write',
  'roles:write',
  'sign_in:write',
  'scim:write',
  'keys:write',
  'connections:write',
]

/** Whether a route requires a second factor of the last ten minutes. */
export function asksForStepUp({ access, stepUp }: Pick<FastifyContextConfig, 'access' | 'stepUp'>): boolean {
  return stepUp === true || (STEP_UP as readonly unknown[]).includes(access)
}

/** Whether granting this scope to an application requires a recent second factor, as its use does. */
export function isDangerous(permission: Permission): boolean {
  return STEP_UP.includes(permission)
}
