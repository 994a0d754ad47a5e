import { folderBytes } from '../blobs/folder.ts'
import { folderOf } from '../blobs/open-bytes.ts'
import type { Config } from '../config/config.ts'
import type { Millis } from '../core/clock.ts'
import { answerQuestions, stepBack } from '../core/thread.ts'
import { type Made, makeBackup } from './make-backup.ts'

/** What the thread is asked for. */
export interface Asked {
  config: Pick<Config, 'store' | 'blobs' | 'backups'>
  file: string
  now: Millis
}

/** Runs in a thread of its own (`backup-job.ts`): what is read, hashed and written holds up no request. */
stepBack()
answerQuestions<Asked, Made>(({ config, file, now }) =>
  makeBackup(file, {
    ...{ config, now, passphrase: config.backups.passphrase },
    bytes: config.blobs.s3 === undefined ? folderBytes(folderOf(config.store)) : undefined,
  }),
)
