import { startWork } from './work.ts'
import type { Kind } from './work-killed.ts'
import { judgeWork } from './work-verdict.ts'

/** Files that are read, and documents that are indexed. */
export const FILES: Kind = {
  async begin(stand, urls) {
    const { body: base } = await stand.call('/v1/knowledge-bases', { name: 'Torture' })
    const work = startWork(stand, urls, String(base.id))
    return { count: () => work.files.length, stop: work.stop, judge: () => judgeWork(stand, work) }
  },
}
