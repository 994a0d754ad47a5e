import { folderStorage } from '../blobs/folder-storage.ts'
import { folderOf } from '../blobs/open-storage.ts'
import type { BackupTo } from '../config/backup-to.ts'
import type { Config } from '../config/config.ts'
import type { Millis } from '../core/clock.ts'
import { lowerThreadPriority, serveQuestions } from '../core/thread.ts'
import { openDestination } from './destination.ts'
import type { Made } from './make-backup.ts'

/** The request to the thread. */
export interface Asked {
  config: Pick<Config, 'store' | 'blobs' | 'backups'>
  to: BackupTo
  name: string
  now: Millis
}

/** Runs in a thread of its own (`backup-job.ts`), so that reading, hashing and writing delay no request. */
lowerThreadPriority()
serveQuestions<Asked, Made>(async ({ config, to, name, now }) => {
  const place = openDestination(to, config)
  try {
    return await place.make(name, {
      ...{ config, now, passphrase: config.backups.passphrase },
      bytes: config.blobs.s3 === undefined ? folderStorage(folderOf(config.store)) : undefined,
    })
  } finally {
    await place.close()
  }
})
