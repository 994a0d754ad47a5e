import assert from 'node:assert/strict'
import type { Answer } from './browser.ts'
import { newEmail } from './people.ts'
import { OPERATOR_TOKEN, type Postern } from './postern.ts'
import { type Calls, callsOf } from './webhook-calls.ts'

/** A key of the installation, made by the operator's API. */
export interface PlatformKey {
  id: string
  key: string
}

/** @param wanted what is not said: all scopes, and the right to make organizations */
export async function platformKey(postern: Postern, wanted: object = {}): Promise<PlatformKey> {
  const { post } = callsOf(postern, OPERATOR_TOKEN)
  const body = { name: `Platform ${newEmail()}`, scopes: null, mayCreateOrganizations: true, ...wanted }
  const made = await post('/v1/operator/platform-keys', body)
  assert.equal(made.status, 201, made.text)
  return made.body
}

/** The API as a platform key calls it for an organization. */
export function actingFor(postern: Postern, { key }: Pick<PlatformKey, 'key'>, organization?: string): Calls {
  const client = postern.client()
  const call = (headers: Record<string, string> = {}) => ({
    token: key,
    headers: { ...(organization === undefined ? {} : { 'postern-organization': organization }), ...headers },
  })
  return {
    get: (path, headers) => client.get(path, call(headers)),
    post: (path, body = {}, headers = {}) => client.post(path, body, call(headers)),
    patch: (path, body) => client.patch(path, body, call()),
    delete: (path) => client.delete(path, call()),
  }
}

/** The operator's view of the organizations with an external id: one at most. */
export async function foundBy(postern: Postern, externalId: string): Promise<Answer['body'][]> {
  const query = new URLSearchParams([['externalId', externalId]])
  const { status, body, text } = await callsOf(postern, OPERATOR_TOKEN).get(
    `/v1/operator/organizations?${query}`,
  )
  assert.equal(status, 200, text)
  return body.data
}
