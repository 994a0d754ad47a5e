import assert from 'node:assert/strict'
import type { Answer, Call } from './browser.ts'
import { administrator, apiKey, type Person } from './people.ts'
import type { Postern } from './postern.ts'

export const WAIT = { prefer: 'wait=30' }

/** An organization that knows something, with the calls that most tests make. */
export interface Knower {
  admin: Person
  /** An administrator's key. */
  token: string
  call(path: string, call?: Call): Promise<Answer>
  base(more?: object): Promise<string>
  /** Adds a text, and waits until it is indexed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  add(baseId: string, text: string, more?: object): Promise<any>
  search(baseId: string, query: string, more?: object): Promise<Answer>
  /** The texts that are found. */
  find(baseId: string, query: string, more?: object): Promise<string[]>
}

export async function createKnower(postern: Postern): Promise<Knower> {
  const admin = await administrator(postern)
  const token = await apiKey(postern, admin)
  const call: Knower['call'] = (path, more = {}) => postern.client().call(path, { token, ...more })
  const search: Knower['search'] = (baseId, query, more = {}) =>
    call(`/v1/knowledge-bases/${baseId}/search`, { body: { query, ...more } })
  return {
    admin,
    token,
    call,
    async base(more = {}) {
      const answer = await call('/v1/knowledge-bases', {
        body: { name: `Base ${crypto.randomUUID()}`, ...more },
      })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    },
    async add(baseId, text, more = {}) {
      const path = `/v1/knowledge-bases/${baseId}/documents`
      const answer = await call(path, { body: { text, ...more }, headers: WAIT })
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.body.status, 'indexed', answer.text)
      return answer.body
    },
    search,
    async find(baseId, query, more = {}) {
      const answer = await search(baseId, query, more)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data.map(({ text }: { text: string }) => text)
    },
  }
}

/** As `createKnower`, once a suite. */
export function useKnower(server: () => Promise<Postern>): () => Promise<Knower> {
  let made: Promise<Knower> | undefined
  return () => {
    made ??= server().then(createKnower)
    return made
  }
}
