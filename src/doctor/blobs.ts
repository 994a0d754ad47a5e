import { MissingBlobError } from '../blobs/blob-storage.ts'
import { folderOf, openStorage } from '../blobs/open-storage.ts'
import { systemClock } from '../core/clock.ts'
import { createResolver } from '../net/resolver.ts'
import type { Check } from './finding.ts'

/** Checks the storage of files, and whether all processes can reach it. */
export const checkBlobs: Check = async ({ store, blobs }) => {
  const what = 'Files'
  if (blobs.s3 === undefined) {
    const text = `their bytes are in ${folderOf(store)}`
    if (store.databaseUrl === undefined) return [{ level: 'ok', what, text }]
    const advice = 'set BLOBS_URL, or share the folder, before a second process runs elsewhere'
    return [{ level: 'ok', what, text: `${text}; ${advice}` }]
  }
  const bytes = openStorage(
    { store, blobs },
    { clock: systemClock, resolve: createResolver({ clock: systemClock }) },
  )
  try {
    for await (const _ of await bytes.read('nothing-of-this-name')) break
  } catch (error) {
    if (!(error instanceof MissingBlobError))
      return [{ level: 'problem', what, text: `${(error as Error).message}; see BLOBS_URL` }]
  } finally {
    await bytes.close()
  }
  return [{ level: 'ok', what, text: `${bytes.place} answers` }]
}
