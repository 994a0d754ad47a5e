import { createHmac } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import type { Claims, Forge } from './forging-provider.ts'
import { takeRsaKeys } from './rsa-keys.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token with a signature by `mac`. */
function assemble(header: object, claims: Claims, mac: (text: string) => string): string {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${mac(text)}`
}

async function attackersKeys() {
  const { privateKey, publicKey } = takeRsaKeys()
  return { privateKey, jwk: await exportJWK(publicKey) }
}

/** A token that is good but for `more`, signed by the provider itself. */
const saying =
  (more: Claims) =>
  ({ sign, claims }: Forge) =>
    sign({ ...claims, ...more })

/** A good token without a claim. */
const without =
  (name: string) =>
  ({ sign, claims: { [name]: _left, ...claims } }: Forge) =>
    sign(claims)

/** Every way to forge an ID token that a client must notice (OpenID Connect Core 3.1.3.7, RFC 8725). */
export function forgeries(
  attackersKeySet: string,
): Record<string, (forge: Forge) => string | Promise<string>> {
  const later = ({ iat }: Claims, seconds: number) => Number(iat) + seconds
  return {
    'alg none': ({ claims }) => assemble({ alg: 'none' }, claims, () => ''),
    'alg None': ({ claims, header }) => assemble({ ...header, alg: 'None' }, claims, () => ''),
    'HS256 with the public key': ({ claims, header, publicPem }) =>
      assemble({ ...header, alg: 'HS256' }, claims, (text) =>
        createHmac('sha256', publicPem).update(text).digest('base64url'),
      ),
    'HS256 with the client’s secret': ({ claims, header }) =>
      assemble({ ...header, alg: 'HS256' }, claims, (text) =>
        createHmac('sha256', 'a-secret').update(text).digest('base64url'),
      ),
    'no signature': async ({ sign, claims }) => (await sign(claims)).replace(/[^.]*$/, ''),
    'an edited payload': async ({ sign, claims }) => {
      const [header, , signature] = (await sign(claims)).split('.')
      return `${header}.${part({ ...claims, hd: 'edited.test' })}.${signature}`
    },
    'the attacker’s key under the known kid': async ({ claims, header }) =>
      new SignJWT(claims).setProtectedHeader(header).sign((await attackersKeys()).privateKey),
    'an unknown kid': async ({ claims, header }) =>
      new SignJWT(claims)
        .setProtectedHeader({ ...header, kid: 'unknown' })
        .sign((await attackersKeys()).privateKey),
    'a key in the jwk header': async ({ claims, header }) => {
      const { privateKey, jwk } = await attackersKeys()
      return new SignJWT(claims).setProtectedHeader({ ...header, jwk }).sign(privateKey)
    },
    'a key in the jwk header, and no kid': async ({ claims }) => {
      const { privateKey, jwk } = await attackersKeys()
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk }).sign(privateKey)
    },
    'a key set in the jku header': async ({ claims, header }) =>
      new SignJWT(claims)
        .setProtectedHeader({ ...header, jku: attackersKeySet, kid: 'theirs' })
        .sign((await attackersKeys()).privateKey),
    'a critical header that nobody knows': async ({ claims, header }) =>
      assemble({ ...header, crit: ['x'], x: 1 }, claims, () => 'AAAA'),
    'another issuer': saying({ iss: 'https://evil.test' }),
    'the issuer with a slash': ({ sign, claims }) => sign({ ...claims, iss: `${String(claims.iss)}/` }),
    'no issuer': without('iss'),
    'another audience': saying({ aud: 'another-client' }),
    'another audience in a list': saying({ aud: ['another-client'] }),
    'no audience': without('aud'),
    'one more audience, without azp': saying({ aud: ['postern', 'another-client'] }),
    'one more audience, which is the azp': saying({
      aud: ['postern', 'another-client'],
      azp: 'another-client',
    }),
    'another azp': saying({ azp: 'another-client' }),
    expired: ({ sign, claims }) =>
      sign({ ...claims, exp: later(claims, -3_600), iat: later(claims, -3_700) }),
    'no end': without('exp'),
    'an end in words': saying({ exp: '9999999999' }),
    'no beginning': without('iat'),
    'made in the future': ({ sign, claims }) =>
      sign({ ...claims, iat: later(claims, 7_200), exp: later(claims, 9_000) }),
    'made long ago': ({ sign, claims }) => sign({ ...claims, iat: later(claims, -90_000) }),
    'good from the future on': ({ sign, claims }) => sign({ ...claims, nbf: later(claims, 7_200) }),
    'no nonce': without('nonce'),
    'another nonce': saying({ nonce: 'A'.repeat(43) }),
    'an empty nonce': saying({ nonce: '' }),
    'no sub': without('sub'),
    'an empty sub': saying({ sub: '' }),
    'a sub that is a number': saying({ sub: 1 }),
    'no token at all': () => 'x',
    'half a token': () => 'a.b',
  }
}
