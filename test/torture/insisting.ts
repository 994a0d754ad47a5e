import { pause } from '#src/core/clock.ts'

const PAUSE = 20
/** Statuses of a server that is stopping or overloaded. */
const PASSING = [429, 500, 503]

/** Creates a thing from bytes or from a JSON body. @returns its id; '' where it is refused */
export type Insist = (path: string, name: string, body: Uint8Array<ArrayBuffer> | object) => Promise<string>

/**
 * Repeats a request at the servers in turn until one answers. The same Idempotency-Key makes one thing of all tries.
 * @param strange gets unexpected answers
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
