import type { ComponentType } from 'preact'
import type { Icon } from '../parts/icons.tsx'
import type { Permission } from './data/session.ts'

export type Module = 'webhooks' | 'connections' | 'files' | 'knowledge' | 'agents'

/** What a screen is given: the parts of its path that have a name. */
export interface ScreenProps {
  params: Record<string, string>
}

/** Parts of the navigation, in their order. */
export const GROUPS = ['', 'Deliver', 'Work', 'Build', 'People', 'Organization'] as const

/** A screen: its path and module, the permission to see it, and how it is found. */
export interface ScreenRow {
  /** Below the organization; `:name` is one part of it. The first row that fits counts. */
  path: string
  title: string
  /** Where it stands in the navigation; a screen without one is reached from others. */
  group?: (typeof GROUPS)[number]
  icon?: Icon
  /** The letter after `g` that leads there. */
  key?: string
  /** What a person must be permitted to open it: without that neither the navigation nor the palette has it. */
  permission?: Permission
  module?: Module
  load: () => Promise<{ Screen: ComponentType<ScreenProps> }>
}
