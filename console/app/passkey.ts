/** Whether this browser knows passkeys. */
export const hasPasskeys =
  typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function' &&
  typeof globalThis.PublicKeyCredential.parseRequestOptionsFromJSON === 'function'

/**
 * Has the browser make a passkey.
 * @param options of the API
 * @returns what the API takes
 * @throws Error in words for the person
 */
export function createPasskey<T>(options: object): Promise<T> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  return asked(() => navigator.credentials.create({ publicKey }))
}

/** As `createPasskey`: has the browser ask for a passkey that there is. */
export function showPasskey<T>(options: object): Promise<T> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  )
  return asked(() => navigator.credentials.get({ publicKey }))
}

/** Browsers give one error for a refusal, a wait that is over, and a passkey that is not there. */
async function asked<T>(ask: () => Promise<Credential | null>): Promise<T> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON() as T
  } catch (thrown) {
    throw new Error(
      (thrown as Error).name === 'InvalidStateError'
        ? 'This device already has a passkey of this account.'
        : 'The browser has shown no passkey. Try again, or use another way.',
    )
  }
}
