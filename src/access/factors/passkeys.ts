import type { Config } from '../../config/config.ts'
import type { Id } from '../../core/id.ts'
import { readId } from '../../core/id.ts'
import { type Static, Type } from '../../http/schema/type.ts'
import { strict } from '../../http/schema/validation.ts'
import type { Factor } from './factor-store.ts'

/** A member of a browser's answer, in base64url. */
const Part = (maxLength: number, description = 'In base64url.') =>
  Type.String({ minLength: 1, maxLength, description })
/** No credential id is longer (WebAuthn 4). */
const CredentialId = Part(1_400)
/** `public-key`: verified with the rest. */
const Kind = Part(40, 'Always `public-key`.')
/** Members of browsers' answers that are not used. */
const Beside = {
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 40 })),
  clientExtensionResults: Type.Optional(Type.Object({}, { maxProperties: 50 })),
}

/** The answer of `navigator.credentials.get` in the form of `toJSON()`. */
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

/** The answer of `navigator.credentials.create` in the form of `toJSON()`. */
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

/** The relying party of all passkeys, by `BASE_URL`. */
interface Site {
  origin: string
  rpId: string
}

export function siteOf({ web }: Pick<Config, 'web'>): Site {
  const { origin, hostname } = new URL(web.baseUrl)
  return { origin, rpId: hostname }
}

/** The challenge in the client data of an answer; '' where they cannot be parsed. */
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

/** The account in the user handle of a passkey. */
export function accountOf({ response }: Static<typeof Assertion>): Id<'account'> | undefined {
  return readId('account', Buffer.from(response.userHandle ?? '', 'base64url').toString())
}

/** The result of a verification; undefined for another site, challenge or key, or without user verification. */
type Verified = { counter: number } | undefined

/**
 * Verifies an assertion (WebAuthn 7.2), except its counter, which is compared in the transaction that stores it.
 * @param challenge the issued one, already consumed
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
      // The library's check of the counter is avoided, because its error does not tell a cloned passkey from an invalid one.
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

/** Verifies a new credential (WebAuthn 7.1), without attestation of its maker. */
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
