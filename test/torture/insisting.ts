import { pause } from '#src/core/clock.ts'

const PAUSE = 20
/** What a server says that is just ending, or has too much to do. */
const PASSING = [429, 500, 503]

/** Makes something: bytes as they are, or what a request says. @returns its id; nothing where that is refused */
export type Insist = (path: string, name: string, body: Uint8Array<ArrayBuffer> | object) => Promise<string>

/**
 * Sends until it is answered, at whichever server is there: the same key makes one thing of all tries.
 * @param strange is told of answers that nothing of this explains
 */
export function createInsisting(key: string, urls: string[], strange: string[]): Insist {
  return async (path, name, body) => {
    const isRaw = body instanceof Uint8Array
    const type = isRaw ? 'application/octet-stream' : 'application/json'
    const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'idempotency-key': name }
    const bytes = isRaw ? body : JSON.stringify(body)
    for (let tries = 0; ; tries += 1) {
      const url = urls[tries % urls.length] ?? ''
      const answer = await fetch(url + path, { method: 'POST', headers, body: bytes }).catch(() => undefined)
      const text = (await answer?.text().catch(() => undefined)) ?? ''
      if (answer?.ok && text !== '') return JSON.parse(text).id
      // A first try may still be under way where its server was killed: its key stands for it.
      const isPassing =
        answer === undefined || PASSING.includes(answer.status) || text.includes('"DUPLICATE"')
      if (!isPassing && text !== '') {
        strange.push(`${answer.status} ${text.slice(0, 300)}`)
        return ''
      }
      await pause(PAUSE)
    }
  }
}
