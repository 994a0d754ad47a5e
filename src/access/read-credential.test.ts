import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SECOND } from '../core/clock.ts'
import { newId } from '../core/id.ts'
import { permissionsOf } from '../http/permissions.ts'
import { bearerOf, endOfToken, isInForce, readClaims } from './read-credential.ts'

const NOW = 1_795_000_000_000

describe('a bearer credential', () => {
  it('stands behind its scheme, in any case, after one space or more', () => {
    for (const authorization of ['Bearer a.b-c_1~+/==', 'bearer a.b-c_1~+/==', 'BEARER   a.b-c_1~+/=='])
      assert.equal(bearerOf({ authorization }), 'a.b-c_1~+/==')
  })

  it('is one, and nothing before or behind it', () => {
    const none = [
      '',
      'Bearer',
      'Bearer ',
      'Basic abc',
      'Bearerabc',
      'xBearer abc',
      'Bearer a b',
      'Bearer a,b',
      'Bearer a\n',
      'abc',
    ]
    for (const authorization of none) assert.equal(bearerOf({ authorization }), undefined, authorization)
    assert.equal(bearerOf({}), undefined)
  })

  it('is of 4096 characters at most, with its scheme', () => {
    const longest = `Bearer ${'a'.repeat(4_089)}`
    assert.equal(bearerOf({ authorization: longest })?.length, 4_089)
    assert.equal(bearerOf({ authorization: `${longest}a` }), undefined)
  })
})

describe('the claims of a token', () => {
  const claims = {
    accountId: newId('account', NOW),
    sessionId: newId('session', NOW),
    organizationId: newId('organization', NOW),
    role: 'member' as const,
    permissions: permissionsOf('member'),
    notBefore: NOW,
    expiresAt: NOW + 60 * SECOND,
  }
  const payload = {
    sub: claims.accountId,
    sid: claims.sessionId,
    org_id: claims.organizationId,
    role: claims.role,
    nbf: NOW / SECOND,
    exp: NOW / SECOND + 60,
  }

  it('say when a token of ours ends, and nothing of another text', () => {
    const written = (said: object) => Buffer.from(JSON.stringify(said)).toString('base64url')
    assert.equal(endOfToken(`head.${written(payload)}.signature`), claims.expiresAt)
    assert.equal(endOfToken(`head.${written({ ...payload, exp: undefined })}.signature`), undefined)
    for (const text of ['psk_key', 'head.x', `head.${written(payload)}`])
      assert.equal(endOfToken(text), undefined)
  })

  it('are read as they were written', () => {
    assert.deepEqual(readClaims(payload), claims)
    const administrator = { role: 'administrator', permissions: permissionsOf('administrator') }
    assert.deepEqual(readClaims({ ...payload, role: 'administrator' }), { ...claims, ...administrator })
  })

  it('say what a role of the organization permitted, and of a fixed role only its name counts', () => {
    const role = newId('role', NOW)
    const own = readClaims({ ...payload, role, permissions: ['events:read', 'unknown', 'files:read'] })
    assert.equal(own?.role, role)
    assert.deepEqual([...(own?.permissions ?? [])], ['events:read', 'files:read'])
    assert.equal(readClaims({ ...payload, role }), undefined)
    assert.deepEqual(readClaims({ ...payload, permissions: ['events:write'] }), claims)
  })

  it('hold from the first where no beginning is named', () => {
    const { nbf, ...rest } = payload
    assert.deepEqual(readClaims(rest), { ...claims, notBefore: 0 })
  })

  it('are none when one of them is missing, or is not such as we write', () => {
    for (const name of ['sub', 'sid', 'org_id', 'role', 'exp'] as const)
      for (const value of [undefined, null, '', 'x', {}, newId('event', NOW)])
        assert.equal(readClaims({ ...payload, [name]: value }), undefined, `${name}: ${value}`)
  })

  it('are in force from their beginning until their end', () => {
    assert.equal(isInForce(claims, NOW - 1), false)
    assert.equal(isInForce(claims, NOW), true)
    assert.equal(isInForce(claims, claims.expiresAt - 1), true)
    assert.equal(isInForce(claims, claims.expiresAt), false)
  })
})
