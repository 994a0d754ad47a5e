import type { Millis } from '../core/clock.ts'
import type { Database, Db } from '../db/database.ts'
import { findFact, keepFact } from './facts.ts'

/** The row of `meta` with the state of scheduled backups, as JSON. */
export const BACKUPS = 'backups'

/** The state of scheduled backups. */
export interface BackupState {
  /** The newest one. */
  last?: { at: Millis; file: string; bytes: number; durationMs: Millis; hasKey: boolean }
  /** Files of scheduled backups, newest last; retention removes the oldest. */
  made?: string[]
  /** When the failures began, and the last error. */
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
