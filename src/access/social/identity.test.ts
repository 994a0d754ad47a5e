import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Claims, type Dialect, identityOf } from './identity.ts'

const TENANT = '0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9'
const OID = '11111111-2222-4333-8444-555555555555'
const RULES = { trustedTenants: [] as string[] }

const of = (dialect: Dialect) => ({ name: dialect, label: dialect, dialect })

const google = (claims: Claims) => identityOf(of('google'), { sub: '1', ...claims }, RULES)
const microsoft = (claims: Claims, rules = RULES) =>
  identityOf(of('microsoft'), { tid: TENANT, oid: OID, sub: 'pairwise', ...claims }, rules)

describe('identity of a Google account', () => {
  const vouched = { email: 'Ada@Acme.test', email_verified: true, hd: 'acme.test' }

  it('is its sub', () => {
    assert.equal(google(vouched)?.subject, '1')
    for (const sub of [undefined, '', 1, null, 'a b', 'x'.repeat(256), ['1']]) {
      assert.equal(google({ ...vouched, sub }), undefined, String(sub))
    }
  })

  it('has the address that Google vouches for, normalised', () => {
    assert.equal(google(vouched)?.verifiedEmail, 'ada@acme.test')
    assert.equal(google({ email: 'Ada@GMail.com', email_verified: true })?.verifiedEmail, 'ada@gmail.com')
  })

  for (const [why, claims] of Object.entries({
    'not verified': { email_verified: false },
    'verified in words': { email_verified: 'true' },
    'not said to be verified': { email_verified: undefined },
    'verified as a number': { email_verified: 1 },
    'of a domain that is not its own': { hd: undefined },
    'of a domain that is named nowhere': { hd: '' },
    'that looks like its own': { hd: undefined, email: 'ada@gmail.com.evil.test' },
    'that is none': { email: 'ada@acme.test, eve@evil.test' },
    'that is no text': { email: ['ada@acme.test'] },
  })) {
    it(`has no address ${why}`, () =>
      assert.equal(google({ ...vouched, ...claims })?.verifiedEmail, undefined))
  }
})

describe('identity of a Microsoft account', () => {
  it('is the tenant and the object in it, whatever sub and e-mail say', () => {
    assert.equal(microsoft({})?.subject, `${TENANT}:${OID}`)
    assert.equal(microsoft({ tid: TENANT.toUpperCase() })?.subject, `${TENANT}:${OID}`)
    for (const claims of [
      { oid: undefined },
      { oid: '' },
      { tid: undefined },
      { tid: 'common' },
      { oid: 7 },
    ]) {
      assert.equal(microsoft(claims), undefined, JSON.stringify(claims))
    }
  })

  for (const mark of [true, 1, '1', 'true']) {
    it(`has an address marked xms_edov ${JSON.stringify(mark)}`, () =>
      assert.equal(microsoft({ email: 'ada@acme.test', xms_edov: mark })?.verifiedEmail, 'ada@acme.test'))
  }

  for (const mark of [undefined, false, 0, '0', 'false', 'yes', null, {}, [true]]) {
    it(`has no address marked xms_edov ${JSON.stringify(mark)}`, () =>
      assert.equal(
        microsoft({ email: 'ada@acme.test', preferred_username: 'ada@acme.test', xms_edov: mark })
          ?.verifiedEmail,
        undefined,
      ))
  }

  it('has a verified primary address, and no other address by it', () => {
    const primary = { verified_primary_email: ['ada@acme.test'] }
    assert.equal(microsoft(primary)?.verifiedEmail, 'ada@acme.test')
    assert.equal(microsoft({ ...primary, email: 'ADA@acme.test' })?.verifiedEmail, 'ada@acme.test')
    assert.equal(microsoft({ ...primary, email: 'victim@acme.test' })?.verifiedEmail, undefined)
    assert.equal(microsoft({ verified_primary_email: 'ada@acme.test' })?.verifiedEmail, undefined)
  })

  it('has the address that a trusted tenant gives it', () => {
    const email = 'ada@acme.test'
    assert.equal(
      microsoft({ email }, { trustedTenants: [TENANT.toUpperCase()] })?.verifiedEmail,
      'ada@acme.test',
    )
    assert.equal(microsoft({ email }, { trustedTenants: [OID] })?.verifiedEmail, undefined)
  })
})
