import type { Config } from '../../config/config.ts'
import type { Id } from '../../core/id.ts'
import { readId } from '../../core/id.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Factor } from './factor-store.ts'

/** A part of what a browser answers, in base64url. */
const Part = (maxLength: number, description = 'In base64url.') =>
  Type.String({ minLength: 1, maxLength, description })
/** No credential id is longer (WebAuthn 4). */
const CredentialId = Part(1_400)
/** `public-key`: verified with the rest. */
const Kind = Part(40, 'Always `public-key`.')
/** What browsers add to an answer and nothing here rests on. */
const Beside = {
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 40 })),
  clientExtensionResults: Type.Optional(Type.Object({}, { maxProperties: 50 })),
}

/** What `navigator.credentials.get` answers, as `toJSON()` writes it. */
export const Assertion = strict({
  id: CredentialId,
  rawId: CredentialId,
  type: Kind,
  response: strict({
    clientDataJSON: Part(4_096, 'What was signed for which site, in base64url.'),
    authenticatorData: Part(4_096, 'What the device says of itself and of its person, in base64url.'),
    signature: Part(2_048, 'Over both, in base64url.'),
    userHandle: Type.Optional(
      Type.String({ maxLength: 128, description: 'The account that the passkey belongs to, in base64url.' }),
    ),
  }),
  ...Beside,
})

/** What `navigator.credentials.create` answers, as `toJSON()` writes it. */
export const Attestation = strict({
  id: CredentialId,
  rawId: CredentialId,
  type: Kind,
  response: strict({
    clientDataJSON: Part(4_096),
    attestationObject: Part(16_384),
    authenticatorData: Type.Optional(Part(8_192)),
    publicKey: Type.Optional(Part(4_096)),
    publicKeyAlgorithm: Type.Optional(Type.Integer()),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
  }),
  ...Beside,
})

/** The one site for which passkeys are made and used: of `BASE_URL`. */
interface Site {
  origin: string
  rpId: string
}

export function siteOf({ web }: Pick<Config, 'web'>): Site {
  const { origin, hostname } = new URL(web.baseUrl)
  return { origin, rpId: hostname }
}

/** The challenge that an answer was made for, as its client data say; '' where they cannot be read. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string {
  try {
    const said = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown
    }
    return typeof said.challenge === 'string' ? said.challenge : ''
  } catch {
    return ''
  }
}

/** The account that a passkey says it belongs to: its user handle. */
export function accountOf({ response }: Static<typeof Assertion>): Id<'account'> | undefined {
  return readId('account', Buffer.from(response.userHandle ?? '', 'base64url').toString())
}

/** What a verified answer says; undefined where it is not good: another site, challenge, key, or without the person. */
type Verified = { counter: number } | undefined

/**
 * Verifies an assertion (WebAuthn 7.2), without its counter, which is compared where it is stored.
 * @param challenge the one that was issued, and used up
 */
export async function verifyAssertion(
  assertion: Static<typeof Assertion>,
  factor: Factor,
  challenge: string,
  site: Site,
): Promise<Verified> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  return verifyAuthenticationResponse({
    response: { ...assertion, clientExtensionResults: {} } as never,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
    credential: {
      id: factor.credential_id ?? '',
      publicKey: new Uint8Array(Buffer.from(factor.public_key ?? '', 'base64url')),
      // Its own check throws for a cloned one as for any other: which it was is to be on record.
      counter: 0,
    },
  }).then(
    ({ verified, authenticationInfo }) => (verified ? { counter: authenticationInfo.newCounter } : undefined),
    () => undefined,
  )
}

interface NewCredential {
  id: string
  publicKey: string
  counter: number
}

/** Verifies a new credential (WebAuthn 7.1); its maker is not asked for. */
export async function verifyAttestation(
  attestation: Static<typeof Attestation>,
  challenge: string,
  site: Site,
): Promise<NewCredential | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  return verifyRegistrationResponse({
    response: { ...attestation, clientExtensionResults: {} } as never,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
  }).then(
    ({ verified, registrationInfo }) => {
      if (!verified) return undefined
      const { id, publicKey, counter } = registrationInfo.credential
      return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
    },
    () => undefined,
  )
}
