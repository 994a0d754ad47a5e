import type { Millis } from '../core/clock.ts'
import type { Database, Db } from '../db/database.ts'
import { findFact, keepFact } from './facts.ts'

/** The row of `meta` with how the backups stand that are made by themselves, as JSON. */
export const BACKUPS = 'backups'

/** How they stand. */
export interface BackupState {
  /** The newest one. */
  last?: { at: Millis; file: string; bytes: number; durationMs: Millis; hasKey: boolean }
  /** The files that scheduled backups have made, the newest last; older ones of them are removed. */
  made?: string[]
  /** Since when they fail, and how. */
  failing?: { since: Millis; error: string }
}

export async function findBackupState(db: Db): Promise<BackupState> {
  return readBackupState(await findFact(db, BACKUPS))
}

/** @param text the row */
export function readBackupState(text: string | undefined): BackupState {
  return text === undefined ? {} : (JSON.parse(text) as BackupState)
}

export function keepBackupState(database: Database, state: BackupState): Promise<void> {
  return keepFact(database, BACKUPS, JSON.stringify(state))
}
