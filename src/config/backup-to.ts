import { resolve } from 'node:path'
import { blobsUrl, type S3Config } from './blobs-url.ts'

/** The destination of backups: a folder, or S3-compatible storage. */
export type BackupTo = { folder: string } | { s3: S3Config }

/** A bucket of the storage that other settings name. */
interface Bucket {
  bucket: string
  prefix: string
}

const SCHEME = 's3://'

/** Whether a name is in a storage, not in a folder. */
export const isInStorage = (text: string): boolean => text.startsWith(SCHEME)

/** The name of an object for people: without host and key. */
export function nameInStorage({ bucket, prefix }: Bucket, name = ''): string {
  return SCHEME + [bucket, prefix, name].filter((part) => part !== '').join('/')
}

/**
 * Reads `s3://BUCKET[/PREFIX]`, the form of `BLOBS_URL`, or a folder.
 * @throws Error in plain words, without the secret
 */
export function backupTo(text: string): { folder: string } | { s3: S3Config } | Bucket | undefined {
  if (text === '') return undefined
  if (!isInStorage(text)) return { folder: resolve(text) }
  const [bucket = '', ...rest] = text.slice(SCHEME.length).split('/')
  if (/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket) && !/[?#]/.test(text))
    return { bucket, prefix: rest.filter((part) => part !== '').join('/') }
  const s3 = blobsUrl(text)
  return s3 === undefined ? undefined : { s3 }
}

/**
 * Completes a bucket by the storage and the key of other settings.
 * @param storage of those settings
 * @throws Error in plain words where they name none
 */
export function inStorage(
  named: NonNullable<ReturnType<typeof backupTo>>,
  storage: S3Config | undefined,
): BackupTo {
  if (!('bucket' in named)) return named
  if (storage === undefined) throw new Error(NO_STORAGE)
  return { s3: { ...storage, ...named } }
}

const NO_STORAGE =
  'names a bucket without its storage: set BLOBS_URL, or write s3://KEY:SECRET@HOST/BUCKET?region=REGION'
