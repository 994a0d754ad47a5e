import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isOwnMetadata, isOwnToken, mayAnswer } from './issuer.ts'

const TENANT = '0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9'
const OTHER = '11111111-2222-4333-8444-555555555555'
const CONSUMERS = '9188040d-6c67-4c5b-b112-36a304b66dad'
const of = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`
const ANY = of('{tenantid}')
const GOOGLE = 'https://accounts.google.com'

describe('metadata speak', () => {
  const cases: [string, 'google' | 'microsoft', string, string, boolean][] = [
    ['for the issuer that was asked', 'google', GOOGLE, GOOGLE, true],
    ['for no other', 'google', GOOGLE, 'https://evil.test', false],
    ['for any tenant of organizations', 'microsoft', of('organizations'), ANY, true],
    ['for the tenant of a domain', 'microsoft', of('acme.test'), of(TENANT), true],
    ['for no other tenant than the one asked', 'microsoft', of(TENANT), of(OTHER), false],
    ['not for any tenant when one was asked', 'microsoft', of(TENANT), ANY, false],
    ['not for another host', 'microsoft', of('common'), 'https://evil.test/{tenantid}/v2.0', false],
    ['not for any tenant of Google', 'google', of('common'), ANY, false],
  ]
  for (const [what, provider, configured, found, own] of cases) {
    it(what, () => assert.equal(isOwnMetadata(provider, configured, found), own))
  }
})

describe('an answer may come', () => {
  it('from the issuer itself', () => assert.equal(mayAnswer(GOOGLE, GOOGLE), true))
  it('from a tenant of any', () => assert.equal(mayAnswer(ANY, of(TENANT)), true))
  for (const iss of [
    '',
    ANY,
    ANY.replace('{tenantid}', 'x'),
    `https://evil.test/${TENANT}/v2.0`,
    `${of(TENANT)}/`,
  ]) {
    it(`not from ${JSON.stringify(iss)}`, () => assert.equal(mayAnswer(ANY, iss), false))
  }
})

describe('a token is of its provider', () => {
  const cases: [string, string, string, object, boolean][] = [
    ['with the issuer of its own tenant', of('organizations'), ANY, { tid: TENANT, iss: of(TENANT) }, true],
    ['but not with that of another tenant', of('organizations'), ANY, { tid: TENANT, iss: of(OTHER) }, false],
    ['but not with the template itself', of('organizations'), ANY, { tid: '{tenantid}', iss: ANY }, false],
    ['but not without a tenant', of('organizations'), ANY, { iss: of(TENANT) }, false],
    [
      'of a person where persons may sign in',
      of('common'),
      ANY,
      { tid: CONSUMERS, iss: of(CONSUMERS) },
      true,
    ],
    [
      'but of no person among organizations',
      of('organizations'),
      ANY,
      { tid: CONSUMERS, iss: of(CONSUMERS) },
      false,
    ],
    ['of the one tenant', of(TENANT), of(TENANT), { tid: TENANT, iss: of(TENANT) }, true],
    [
      'but of no other tenant under its issuer',
      of(TENANT),
      of(TENANT),
      { tid: OTHER, iss: of(TENANT) },
      false,
    ],
  ]
  for (const [what, configured, found, claims, own] of cases) {
    it(what, () => assert.equal(isOwnToken('microsoft', configured, found, { ...claims }), own))
  }

  it('in both spellings of Google', () => {
    assert.equal(isOwnToken('google', GOOGLE, GOOGLE, { iss: GOOGLE }), true)
    assert.equal(isOwnToken('google', GOOGLE, GOOGLE, { iss: 'accounts.google.com' }), true)
    assert.equal(
      isOwnToken('google', GOOGLE, GOOGLE, { iss: 'https://accounts.google.com.evil.test' }),
      false,
    )
    assert.equal(isOwnToken('google', 'https://id.test', 'https://id.test', { iss: undefined }), false)
  })
})
