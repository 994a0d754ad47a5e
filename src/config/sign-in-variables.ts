import { list, optional, url } from './values.ts'
import type { Variable } from './variables.ts'

/** The variables of the providers that people sign in with. */
export const SIGN_IN_VARIABLES = {
  GOOGLE_CLIENT_ID: {
    default: '',
    about: 'Turns on sign-in with Google, with the next one.',
    read: optional,
  },
  GOOGLE_CLIENT_SECRET: { default: '', about: 'The secret that belongs to it.', read: optional },
  GOOGLE_ISSUER: {
    default: 'https://accounts.google.com',
    about: 'The issuer of Google.',
    read: url('https:', 'http:'),
  },
  MICROSOFT_CLIENT_ID: {
    default: '',
    about: 'Turns on sign-in with Microsoft, with the next one.',
    read: optional,
  },
  MICROSOFT_CLIENT_SECRET: { default: '', about: 'The secret that belongs to it.', read: optional },
  MICROSOFT_ISSUER: {
    default: 'https://login.microsoftonline.com/organizations/v2.0',
    about: 'The issuer of Microsoft; `…/{tenant}/v2.0` for one tenant.',
    read: url('https:', 'http:'),
  },
  MICROSOFT_TRUSTED_TENANTS: {
    default: '',
    about: 'Comma-separated tenant ids whose e-mail addresses are believed without a mark of verification.',
    read: list,
  },
} as const satisfies Record<string, Variable<unknown>>
