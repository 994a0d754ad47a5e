/** The paths of the authorization server, below `BASE_URL`. */
export const PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  device_authorization: '/oauth/device',
  code_verification: '/device',
  userinfo: '/oauth/userinfo',
  end_session: '/oauth/logout',
  introspection: '/oauth/introspect',
  jwks: '/.well-known/jwks.json',
} as const

/** The page that asks a person for consent. */
export const CONSENT_PAGE = '/consent'

/** The page that asks a person whether to sign out. */
export const SIGN_OUT_PAGE = '/sign-out'
