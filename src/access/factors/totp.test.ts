import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOfStep, newTotpSecret, stepOfCode, totpCode, totpUri } from './totp.ts'

/** The secret of RFC 6238 appendix B and RFC 4226 appendix D: "12345678901234567890". */
const KEY = Buffer.from('12345678901234567890')
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('TOTP', () => {
  it('has the values of RFC 6238 appendix B', () => {
    const vectors: [seconds: number, code: string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ]
    for (const [seconds, code] of vectors) {
      assert.equal(codeOfStep(KEY, Math.floor(seconds / 30), 8), code)
      // Six digits are the last six of the eight.
      assert.equal(totpCode(SECRET, seconds * 1_000), code.slice(2))
    }
  })

  it('has the values of RFC 4226 appendix D', () => {
    const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ')
    for (const [count, code] of codes.entries()) assert.equal(codeOfStep(KEY, count), code)
  })

  it('takes the code of the step before and after, and of no other', () => {
    const now = 1_700_000_000_000
    const step = Math.floor(now / 30_000)
    for (let drift = -3; drift <= 3; drift += 1) {
      const found = stepOfCode(SECRET, totpCode(SECRET, now + drift * 30_000), now, null)
      assert.equal(found, Math.abs(drift) <= 1 ? step + drift : undefined, `drift ${drift}`)
    }
  })

  it('takes no code of a step that was used, nor of an earlier one', () => {
    const now = 1_700_000_000_000
    const step = Math.floor(now / 30_000)
    const code = totpCode(SECRET, now)
    assert.equal(stepOfCode(SECRET, code, now, step - 1), step)
    assert.equal(stepOfCode(SECRET, code, now, step), undefined)
    assert.equal(stepOfCode(SECRET, totpCode(SECRET, now - 30_000), now, step), undefined)
    assert.equal(stepOfCode(SECRET, totpCode(SECRET, now + 30_000), now, step), step + 1)
  })

  it('compares digits alone, and all of them', () => {
    const now = 1_700_000_000_000
    const code = totpCode(SECRET, now)
    for (const wrong of ['', code.slice(1), `${code}0`, ` ${code}`, '000000'.replace(code, '000001')])
      assert.equal(stepOfCode(SECRET, wrong, now, null), undefined)
  })

  it('makes secrets of 160 bits that apps can read, each another', () => {
    const secrets = new Set(Array.from({ length: 50 }, newTotpSecret))
    assert.equal(secrets.size, 50)
    for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/)
    const uri = totpUri(SECRET, 'Acme: Cloud', 'a+b@acme.test')
    assert.equal(
      uri,
      `otpauth://totp/Acme%20%20Cloud:a%2Bb%40acme.test?secret=${SECRET}&issuer=Acme%20%20Cloud&algorithm=SHA1&digits=6&period=30`,
    )
  })
})
