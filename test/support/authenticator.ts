import type { Browsing } from './chromium.ts'

/** A credential as the virtual authenticator of Chromium holds it. */
interface Credential {
  credentialId: string
  signCount: number
}

/** A device with a passkey store that verifies its person, beside a page. */
export async function addDevice({ page }: Browsing) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async credentials(): Promise<Credential[]> {
      return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
    },
    /** As a copy of the device would: its counter is behind. */
    async setBack(): Promise<void> {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      for (const credential of credentials) {
        const { credentialId } = credential
        await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId })
        await cdp.send('WebAuthn.addCredential', {
          authenticatorId,
          credential: { ...credential, signCount: 0 },
        })
      }
    },
    async forgetPerson(): Promise<void> {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    },
    remove: () => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }),
  }
}
