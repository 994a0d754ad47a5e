/** The parts of `oidc-provider` that are used here and in tests; it ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** A request of a person's browser that waits for the person. */
  interface Interaction {
    jti: string
    iat: number
    grantId?: string
    params: Record<string, string | undefined>
    prompt: { name: string; reasons: string[] }
  }

  interface Revocable {
    revokeByGrantId(grantId: string): Promise<void>
  }

  /** A client, as its metadata made it. */
  interface OAuthClient {
    clientId: string
    clientName?: string
    redirectUris: string[]
    clientAuthMethod: string
    grantTypeAllowed(type: string): boolean
  }

  /** A request under way; `req` is the one that it was made of. */
  interface OAuthContext {
    req: IncomingMessage
    status: number
    redirect(url: string): void
    oidc: { params?: Record<string, string | undefined>; client?: OAuthClient }
  }

  class OAuthError extends Error {
    constructor(description?: string, detail?: string)
  }

  export const errors: Record<
    'InvalidGrant' | 'InvalidTarget' | 'InvalidClientMetadata' | 'InvalidRedirectUri' | 'InvalidRequest',
    typeof OAuthError
  >

  /** A key whose private part stays with its owner. */
  export class ExternalSigningKey {
    keyObject(): unknown
    sign(data: Uint8Array): Promise<Uint8Array>
    kid: string
    alg: string
  }

  // biome-ignore lint/style/noDefaultExport: the module's own shape.
  export default class Provider {
    constructor(issuer: string, configuration: object)
    /** The request under way. */
    static readonly ctx: OAuthContext | undefined
    proxy: boolean
    Client: {
      find(id: string): Promise<OAuthClient | undefined>
      prototype: {
        redirectUriAllowed(this: OAuthClient, uri: string): boolean
        postLogoutRedirectUriAllowed(this: OAuthClient, uri: string): boolean
      }
    }
    AccessToken: Revocable & { find(value: string): Promise<{ destroy(): Promise<void> } | undefined> }
    RefreshToken: Revocable
    Grant: new (of: {
      accountId: string
      clientId: string
    }) => { addOIDCScope(scope: string): void; save(): Promise<string> }
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionResult(request: IncomingMessage, response: ServerResponse, result: object): Promise<string>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
    // biome-ignore lint/suspicious/noExplicitAny: what is passed depends on the event.
    on(event: string, listener: (...passed: any[]) => void): void
  }
}
