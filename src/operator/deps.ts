import type { Shared } from '../shared/shared.ts'
import type { Aftermath } from './aftermath.ts'
import type { OperatorParts } from './parts.ts'

/** What the routes about organizations are made of; each names the members that it uses. */
export type OperatorDeps = Pick<Shared, 'config' | 'database' | 'once'> &
  OperatorParts & {
    aftermath: Pick<Aftermath, 'soon'>
  }
