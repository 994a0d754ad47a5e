import assert from 'node:assert/strict'
import type { Answer } from './browser.ts'
import { apiKey, type Person } from './people.ts'
import type { Postern } from './postern.ts'

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** The SCIM client of a directory. */
export interface Directory {
  key: string
  get(path: string): Promise<Answer>
  post(path: string, body: object | string): Promise<Answer>
  put(path: string, body: object): Promise<Answer>
  patch(path: string, operations: object[] | object): Promise<Answer>
  remove(path: string): Promise<Answer>
  /** Creates an active user, and answers with it. */
  user(email: string, more?: object): Promise<Answer['body']>
  /** Creates a group, and answers with it. */
  group(displayName: string, users?: string[]): Promise<Answer['body']>
  /** A user as it is now. */
  read(id: string): Promise<Answer['body']>
}

/** @param key of a service account with `scim:write`; undefined: a new one */
export async function directoryOf(postern: Postern, owner: Person, key?: string): Promise<Directory> {
  return directoryWith(postern, key ?? (await apiKey(postern, owner, 'administrator', ['scim:write'])))
}

export function directoryWith(postern: Postern, key: string): Directory {
  const client = postern.client()
  const call = { token: key, headers: { 'content-type': 'application/scim+json' } }
  const at = (path: string) => `/scim/v2${path}`
  const directory: Directory = {
    key,
    get: (path) => client.get(at(path), { token: key }),
    post: (path, body) => client.post(at(path), textOf(body), call),
    put: (path, body) => client.call(at(path), { ...call, method: 'PUT', body: textOf(body) }),
    patch(path, operations) {
      const body = Array.isArray(operations) ? { schemas: [PATCH], Operations: operations } : operations
      return client.patch(at(path), textOf(body), call)
    },
    remove: (path) => client.delete(at(path), { token: key }),
    async user(email, more = {}) {
      const body = {
        schemas: [USER],
        userName: email,
        emails: [{ value: email, type: 'work', primary: true }],
        ...more,
      }
      const answer = await directory.post('/Users', body)
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    },
    async group(displayName, users = []) {
      const members = users.map((value) => ({ value }))
      const answer = await directory.post('/Groups', { schemas: [GROUP], displayName, members })
      assert.equal(answer.status, 201, answer.text)
      return answer.body
    },
    async read(id) {
      const answer = await directory.get(`/Users/${id}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },
  }
  return directory
}

/** The client of the tests sends an object as `application/json`. */
const textOf = (body: object | string) => (typeof body === 'string' ? body : JSON.stringify(body))

/** What name servers say of domains that organizations of a test have claimed. */
export function domainRecords() {
  const records = new Map<string, string>()
  return {
    lookUpTexts: async (name: string) => [records.get(name) ?? []].flat(),
    /** Lets an organization claim and prove a domain. */
    async prove(postern: Postern, { token }: { token: string }, name: string): Promise<string> {
      const client = postern.client()
      const claimed = await client.post('/v1/domains', { name }, { token })
      assert.equal(claimed.status, 201, claimed.text)
      const { id, record } = claimed.body
      records.set(record.name, record.value)
      const verified = await client.post(`/v1/domains/${id}/verify`, {}, { token })
      assert.equal(verified.body.status, 'verified', verified.text)
      return id
    },
  }
}

/** The directory's user with an address, and how far the person has come in. */
export async function standingOf(postern: Postern, { token }: { token: string }, email: string) {
  const path = `/v1/scim/users?email=${encodeURIComponent(email)}`
  const answer = await postern.client().get(path, { token })
  assert.equal(answer.status, 200, answer.text)
  const [user] = answer.body.data
  return user as
    | { membership: string; role: string | null; accountId: string | null; active: boolean }
    | undefined
}

/** Asserts that an answer is an error of RFC 7644 3.12, with the code of the catalogue beside it. */
export function assertScimError(
  answer: Answer,
  status: number,
  code: string,
  { type, detail }: { type?: string; detail?: RegExp } = {},
): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('postern-error-code'), code)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/scim\+json/)
  assert.deepEqual(answer.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
  assert.equal(answer.body.status, String(status))
  assert.equal(answer.body.scimType, type)
  assert.match(answer.body.detail, detail ?? /./)
}
