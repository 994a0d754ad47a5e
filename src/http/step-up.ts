import type { FastifyContextConfig } from 'fastify'
import type { Permission } from './permissions.ts'

/**
 * What a person uses dangerously: a route that asks for one of these permissions asks a person with a second factor to have shown it
 * within the last ten minutes. A route of a session says so itself, by `stepUp` in its config. API keys are not asked.
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

/** Whether a route asks for a second factor of the last ten minutes. */
export function asksForStepUp({ access, stepUp }: Pick<FastifyContextConfig, 'access' | 'stepUp'>): boolean {
  return stepUp === true || (STEP_UP as readonly unknown[]).includes(access)
}

/** Whether a person who grants this scope to an application has shown a second factor within the last ten minutes, as for its use. */
export function isDangerous(permission: Permission): boolean {
  return STEP_UP.includes(permission)
}
