import { schedule } from './backup-schedule.ts'
import { backupTo } from './backup-to.ts'
import { integer, passphrase } from './values.ts'

/** Variables of backups. */
export const BACKUP_VARIABLES = {
  BACKUP_TO: {
    default: '',
    about:
      'Destination of scheduled backups: a folder, `s3://BUCKET/PREFIX` in the storage of `BLOBS_URL`, or other storage, `s3://KEY:SECRET@HOST/BUCKET/PREFIX?region=REGION`. Default: no scheduled backups; `npx postern backup` makes one.',
    read: backupTo,
  },
  BACKUP_SCHEDULE: {
    default: '03:00',
    about: 'Times of scheduled backups: `hourly`, or times of day in UTC, such as `03:00,15:00`.',
    read: schedule,
  },
  BACKUP_KEEP: {
    default: '7',
    about:
      'Scheduled backups that are kept, 1 to 10000. After each new one, the oldest ones beyond this number are removed.',
    read: integer(1, 10_000),
  },
  BACKUP_PASSPHRASE: {
    default: '',
    about:
      'Passphrase that encrypts the master key in backups, 12 characters or more; a restore asks for it. Default: backups do not contain the key.',
    read: passphrase,
  },
} as const
