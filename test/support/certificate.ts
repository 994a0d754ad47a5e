import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { takeRsaKeys } from './rsa-keys.ts'

/** A key with a certificate that it has signed itself. */
export interface Identity {
  privateKey: KeyObject
  /** PEM. */
  certificate: string
}

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const long = body.length < 128 ? [] : [...Buffer.from(body.length.toString(16).padStart(4, '0'), 'hex')]
  return Buffer.concat([Buffer.from([tag, ...(long.length > 0 ? [0x82, ...long] : [body.length])]), body])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const SHA256_WITH_RSA = sequence(oid('2a864886f70d01010b'), der(0x05))
const SHA256_WITH_ECDSA = sequence(oid('2a8648ce3d040302'))
const named = (name: string) =>
  name === ''
    ? sequence()
    : sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name, 'utf8')))))
const time = (iso: string) => der(0x18, Buffer.from(iso.replace(/[-:T]|\.\d+/g, ''), 'latin1'))

/** A public key of no owner, as certificates have one: of an algorithm, with a modulus of so many bits and an exponent. */
export function publicKey({
  algorithm = '2a864886f70d010101',
  bits = 2_048,
  exponent = '010001',
} = {}): Buffer {
  const positive = (hex: string) => der(0x02, Buffer.from(`00${hex}`, 'hex'))
  const modulus = `f1${'3d'.repeat(bits / 8 - 1)}`
  return sequence(
    sequence(oid(algorithm), der(0x05)),
    der(0x03, Buffer.from([0]), sequence(positive(modulus), positive(exponent))),
  )
}

/** A new identity, as the certificates of identity providers are: signed by itself, of any time. */
export function newIdentity({
  name = 'Acme login',
  from = '2020-01-01T00:00:00.000Z',
  until = '2049-01-01T00:00:00.000Z',
  bits = 2_048,
  key = undefined as Buffer | undefined,
  /** Of a key of that curve, instead of RSA. */
  curve = undefined as string | undefined,
} = {}): Identity {
  const { privateKey } =
    curve === undefined ? takeRsaKeys(bits) : generateKeyPairSync('ec', { namedCurve: curve })
  const algorithm = curve === undefined ? SHA256_WITH_RSA : SHA256_WITH_ECDSA
  const what = sequence(
    der(0x02, Buffer.from([1])),
    algorithm,
    named(name),
    sequence(time(from), time(until)),
    named(name),
    key ?? createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', what, privateKey))
  const base64 = sequence(what, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  return {
    privateKey,
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}
