import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Visitor } from './door.ts'
import type { Stage } from './perform.ts'
import * as step from './steps.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()
const hex = (digits: string) => Buffer.from(digits, 'hex')

/** A device with one passkey of its own making, as a browser passes it on. */
function createDevice(origin: string) {
  const id = randomBytes(16)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  // An ES256 key in COSE (RFC 9053): a CBOR map whose last two members are the coordinates of the point.
  const [left, top] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
  const key = Buffer.concat([hex('a5010203262001215820'), left, hex('225820'), top])
  let [counter, userHandle] = [0, '']
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type: `webauthn.${type}`, challenge, origin }))
  /** WebAuthn 6.1: for which site, whether the person was verified, the counter, and a new key. */
  const statement = (site: string, flags: number, more = Buffer.alloc(0)) => {
    counter += 1
    const head = Buffer.alloc(5, flags)
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(site), head, more])
  }
  const answerOf = (response: Record<string, Buffer>) => {
    const texts = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')])
    const own = id.toString('base64url')
    return { id: own, rawId: own, type: 'public-key', response: Object.fromEntries(texts) }
  }
  return {
    create(options: { challenge: string; rp: { id: string }; user: { id: string } }) {
      userHandle = options.user.id
      const said = statement(options.rp.id, 0x45, Buffer.concat([Buffer.alloc(17), hex('10'), id, key]))
      // A CBOR map that nobody has signed; the letter before each text is the mark of its length.
      const head = '\xa3cfmtdnonegattStmt\xa0hauthData\x58'
      const attestationObject = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from([said.length]), said])
      return answerOf({ clientDataJSON: clientData('create', options.challenge), attestationObject })
    },
    show(options: { challenge: string; rpId: string }) {
      const [clientDataJSON, said] = [clientData('get', options.challenge), statement(options.rpId, 0x05)]
      const signature = sign('sha256', Buffer.concat([said, sha256(clientDataJSON)]), privateKey)
      const person = Buffer.from(userHandle, 'base64url')
      return answerOf({ clientDataJSON, authenticatorData: said, signature, userHandle: person })
    },
  }
}

/** Ada's telephone keeps a key, with which she signs in; her password alone is not enough from then on. */
export async function passkeyOpens({ print, peers, door }: Stage, ada: Visitor): Promise<void> {
  print.chapter(
    'Ada adds a passkey, and signs in with it',
    'The device signs a challenge, once it knows its person by a finger or a face. Nothing secret is sent or kept.',
  )
  const phone = createDevice(peers.baseUrl)
  const show = ({ options }: { options: Record<string, unknown> }) => ({
    options: step.only('challenge')(options),
  })
  const asSession = { by: 'session', status: 200, show } as const
  const begun = await door.call(ada, 'POST /v1/auth/factors/passkeys/options', asSession)
  const added = await door.call(ada, 'POST /v1/auth/factors/passkeys', {
    body: { name: 'Telephone', credential: phone.create(begun.body.options) },
    ...{ by: 'session', status: 201, show: ({ factor }) => ({ factor: step.only('kind', 'name')(factor) }) },
  })
  print.check('Ten recovery codes come with the first factor', added.body.recoveryCodes.length, 10)
  const other = door.visitor('somebody at another browser')
  const body = { email: 'ada@acme.test', password: 'correct horse 7 battery' }
  const half = await door.call(other, 'POST /v1/auth/sign-in/email', {
    body,
    status: 401,
    show: step.onlyError,
  })
  const { reason } = half.body.error.details
  print.check('Her password alone lets nobody in any more', reason, 'second_factor_required')
  const asked = await door.call(other, 'POST /v1/auth/sign-in/passkey/options', { status: 200, show })
  const shown = { body: { credential: phone.show(asked.body.options) }, show: step.onlyUser }
  const signedIn = await door.call(other, 'POST /v1/auth/sign-in/passkey', { ...shown, status: 200 })
  print.check('Her passkey lets her in by itself', signedIn.body.user.email, 'ada@acme.test')
}
