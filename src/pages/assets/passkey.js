// Passkeys, as the browser makes and shows them.

import { Refusal } from './api.js'

/** Whether this browser knows passkeys. */
export const hasPasskeys = typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'

export async function createPasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return asked(() => navigator.credentials.create({ publicKey }))
}

export async function showPasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return asked(() => navigator.credentials.get({ publicKey }))
}

/** Asks the person. Browsers give one error for a refusal, a wait that is over, and a passkey that is not there. */
async function asked(ask) {
  const credential = await ask().catch((error) => {
    throw new Refusal({ code: error.name === 'InvalidStateError' ? 'PASSKEY_THERE' : 'PASSKEY_NOT_SHOWN' })
  })
  return credential.toJSON()
}
